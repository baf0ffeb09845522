import { execFile } from 'node:child_process'
import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { awaitText, createWorkbench, never, stubbornScript, type Workbench } from '../fakes/workbench.ts'

// Promised: a stopped command and all it started are gone two seconds after the abort.
const PROMISED_MS = 2_000

const stillBeating = async (file: string): Promise<boolean> => {
  const before = (await stat(file)).size
  await sleep(300)
  return (await stat(file)).size > before
}

describe.each([
  ['plain', false],
  ['in namespaces', true],
])('a command, %s', (_, isolated) => {
  let bench: Workbench
  beforeAll(async () => {
    bench = await createWorkbench({ isolated })
    if (isolated && bench.isolation.length === 0)
      console.error('NOT ISOLATED: this system allows no user namespaces; these tests ran plain')
  })
  afterAll(() => bench[Symbol.asyncDispose]())

  const run = async (name: string, script: string, signal: AbortSignal, timeoutMs = 20_000) => {
    const { root, home } = await bench.workspaces.create(name)
    await writeFile(join(root, 'script.mjs'), script)
    const limits = { timeoutMs, maxBytes: 1_000, signal }
    const result = bench.commands.run({ file: 'node', args: ['script.mjs'], cwd: root, home, ...limits })
    return { result, beat: join(root, 'beat.txt') }
  }

  it('is gone within two seconds of an abort, a grandchild that ignores SIGTERM too', async () => {
    const controller = new AbortController()
    const reason = new Error('cancelled')
    const { result, beat } = await run('abort', stubbornScript(false), controller.signal)
    const ended = expect(result).rejects.toBe(reason)
    await awaitText(beat)
    const from = performance.now()
    controller.abort(reason)
    await ended
    expect(performance.now() - from).toBeLessThan(PROMISED_MS)
    expect(await stillBeating(beat)).toBe(false)
  })

  it('is gone after its time-out', async () => {
    const { result, beat } = await run('timeout', stubbornScript(false), never, 700)
    expect(await result).toMatchObject({ exitCode: null, timedOut: true })
    expect(await stillBeating(beat)).toBe(false)
  })

  it('leaves nothing running when it ends by itself', async () => {
    const leave = stubbornScript(false).replace(
      'setInterval(() => undefined, 1000)',
      'setTimeout(() => process.exit(0), 700)',
    )
    const { result, beat } = await run('leave', leave, never)
    expect(await result).toMatchObject({ exitCode: 0 })
    expect(await stillBeating(beat)).toBe(false)
  })

  it('does not start once aborted', async () => {
    const { result } = await run('late', 'process.exit(0)', AbortSignal.abort(new Error('too late')))
    await expect(result).rejects.toThrow('too late')
  })
})

describe('a command in namespaces', () => {
  it('cannot flee by leaving its group, nor look into the service', async () => {
    await using bench = await createWorkbench({ isolated: true })
    if (bench.isolation.length === 0) return console.error('SKIPPED: this system allows no user namespaces')
    const { root, home } = await bench.workspaces.create('flee')
    await writeFile(join(root, 'script.mjs'), stubbornScript(true))
    const controller = new AbortController()
    const limits = { timeoutMs: 20_000, maxBytes: 1_000, signal: controller.signal }
    const result = bench.commands.run({ file: 'node', args: ['script.mjs'], cwd: root, home, ...limits })
    const ended = expect(result).rejects.toThrow()
    await awaitText(join(root, 'beat.txt'))
    controller.abort()
    await ended
    expect(await stillBeating(join(root, 'beat.txt'))).toBe(false)
  })
})

// The service's own environment, as the kernel keeps it, is only there in a process that was started with it.
const service = `
import { createClock } from './lib/adapters/node/clock.ts'
import { createToolRunner } from './lib/tools/runner.ts'
import { createWorkbench, toolsIn } from './test/fakes/workbench.ts'
await using bench = await createWorkbench({ isolated: true })
const workspace = await bench.workspaces.create('leak')
const call = toolsIn(bench, workspace)
const answers = [String(bench.isolation.length)]
const script = \`
import { readdirSync, readFileSync } from 'node:fs'
console.log(JSON.stringify(process.env))
const read = (file) => { try { return readFileSync(file, 'utf8') } catch (error) { return error.code } }
for (const id of readdirSync('/proc').filter((name) => Number(name))) console.log(read('/proc/' + id + '/environ'))
console.log(read('/proc/\${process.pid}/environ'))
\`
const calls = [
  ['write_file', { path: 'leak.mjs', content: script }],
  ['run_command', { command: 'node', args: ['leak.mjs'] }],
  ['run_command', { command: 'env' }],
  ['run_command', { command: 'cat', args: ['/proc/self/environ'] }],
  ['read_file', { path: '/proc/self/environ' }],
  ['git', { args: ['status'] }],
]
for (const [name, args] of calls) answers.push(JSON.stringify(await call(name, args)))
console.log(answers.join('\\n'))
`

describe('a canary in the environment of the service', () => {
  it('appears in no tool result, even when a program of the agent goes through /proc', async () => {
    const env = { PATH: process.env.PATH, CANARY_SECRET: 'canary-c0ffee' }
    const args = ['--input-type=module', '--disable-warning=ExperimentalWarning', '--eval', service]
    const { stdout } = await promisify(execFile)(process.execPath, args, { env })
    const [isolation, ...answers] = stdout.split('\n')
    if (isolation === '0') return console.error('SKIPPED: without user namespaces /proc shows it')
    expect(answers[1]).toContain('PATH')
    expect(answers.join('\n')).not.toContain('canary-c0ffee')
  })
})
