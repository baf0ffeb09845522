import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { loadAgents } from '../../lib/adapters/agents/load.ts'
import type { AgentAdapter } from '../../lib/ports/agent.ts'

const ADAPTER = `{ type: 'mine', name: 'Mine', description: '', capabilities: [],
  healthCheck: async () => ({ healthy: true }), execute: async () => ({ success: true, output: '' }) }`

const builtIn: AgentAdapter = {
  type: 'built-in',
  name: 'Built in',
  description: '',
  capabilities: [],
  healthCheck: async () => ({ healthy: true }),
  execute: async () => ({ success: true, output: '' }),
}

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adapters-'))
})
afterAll(() => rm(folder, { recursive: true }))

/** Those of modules, beside a built-in one. */
const loadAdapters = async (AGENT_ADAPTERS: readonly string[]) =>
  (await loadAgents([builtIn], { AGENT_ADAPTERS, DEFAULT_AGENT: 'built-in' })).slice(1)

let made = 0
const writeModule = async (source: string) => {
  const file = join(folder, `adapter-${++made}.mjs`)
  await writeFile(file, source)
  return file
}

describe('AGENT_ADAPTERS', () => {
  it('loads modules that export an adapter or a list of them, in order', async () => {
    const one = await writeModule(`export default ${ADAPTER}`)
    const two = await writeModule(
      `const a = ${ADAPTER}; export default [{ ...a, type: 'a' }, { ...a, type: 'b' }]`,
    )

    const loaded = await loadAdapters([one, two])

    expect(loaded.map(({ type }) => type)).toEqual(['mine', 'a', 'b'])
    expect(await loadAdapters([])).toEqual([])
  })

  it('keeps the methods of a class, with their object', async () => {
    const file = await writeModule(`class Mine {
      type = 'mine'; name = 'Mine'; description = ''; capabilities = []; mood = 'fine'
      async healthCheck() { return { healthy: true, message: this.mood } }
      async execute() { return { success: true, output: '' } }
    }
    export default new Mine()`)
    const [adapter] = await loadAdapters([file])

    expect(await adapter?.healthCheck()).toEqual({ healthy: true, message: 'fine' })
  })

  it('keeps the limits of a module as they were when it was loaded', async () => {
    const file = await writeModule(`let reads = 0
    export default { ...${ADAPTER}, canResume: true, get timeoutMs() {
      if (++reads > 2) throw new Error('gone')
      return 60000
    } }`)
    const [adapter] = await loadAdapters([file])

    expect([1, 2, 3].map(() => adapter?.timeoutMs)).toEqual([60_000, 60_000, 60_000])
  })

  it.each([
    ['has no default export', 'export const adapter = 1', 'expected object'],
    ['does not parse', 'export default {', ''],
    ['throws', 'throw new Error("no licence")', 'no licence'],
    ['exports null', 'export default null', 'expected object'],
    ['lacks execute', `export default { ...${ADAPTER}, execute: undefined }`, 'execute must be a function'],
    [
      'lacks healthCheck',
      `export default { ...${ADAPTER}, healthCheck: 1 }`,
      'healthCheck must be a function',
    ],
    [
      'does not say whether it can resume',
      `export default { ...${ADAPTER}, canResume: 'yes' }`,
      'canResume Invalid input: expected boolean',
    ],
    ...['0', '999', '86400001', '1500.5', '-1', 'NaN', 'Infinity', "'60000'", 'null'].map(
      (value): [string, string, string] => [
        `states a time limit of ${value}`,
        `export default { ...${ADAPTER}, timeoutMs: ${value} }`,
        'timeoutMs ',
      ],
    ),
    [
      'has a type with spaces',
      `export default { ...${ADAPTER}, type: 'My Agent' }`,
      'type must be lowercase',
    ],
    ['has no name', `export default { ...${ADAPTER}, name: '' }`, 'name'],
    ['lists capabilities as text', `export default { ...${ADAPTER}, capabilities: 'code' }`, 'capabilities'],
    ['has a bad one in its list', `export default [${ADAPTER}, {}]`, 'type'],
  ])('refuses a module that %s, and names it', async (_name, source, reason) => {
    const file = await writeModule(source)

    await expect(loadAdapters([file])).rejects.toMatchObject({
      code: 'bad_setting',
      message: expect.stringMatching(
        new RegExp(`^AGENT_ADAPTERS: .*adapter-${made}\\.mjs: .*${reason}`, 's'),
      ),
    })
  })

  it('refuses a path that is not there, and names it', async () => {
    await expect(loadAdapters([join(folder, 'nowhere.mjs')])).rejects.toMatchObject({
      code: 'bad_setting',
      message: expect.stringContaining('nowhere.mjs'),
    })
  })

  it.each([
    [['built-in'], 'built-in', 'AGENT_ADAPTERS: two agents are of type built-in'],
    [['one', 'two', 'one'], 'two', 'AGENT_ADAPTERS: two agents are of type one'],
    [['one'], 'two', 'DEFAULT_AGENT: two must be one of built-in, one'],
  ])('with %j and the default agent %s is refused: %s', async (types, DEFAULT_AGENT, message) => {
    const agents = types.map((type) => `{ ...${ADAPTER}, type: '${type}' }`)
    const file = await writeModule(`export default [${agents}]`)
    const loaded = loadAgents([builtIn], { AGENT_ADAPTERS: [file], DEFAULT_AGENT })
    await expect(loaded).rejects.toMatchObject({ code: 'bad_setting', message })
  })
})
