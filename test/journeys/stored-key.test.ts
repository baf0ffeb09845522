import { readdirSync, readFileSync } from 'node:fs'
import * as path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { saying, startWire, status, type Wire } from '../fakes/model-wire.ts'
import { type Connection, connect } from './client.ts'
import {
  fixtureReads,
  isOffline,
  type Service,
  serviceNode,
  startService,
  temporaryFolder,
} from './service.ts'

// Looks like no key of any vendor: what hides it must know it, not guess it.
const KEY = 'planted.3Kd8vTn5.key'

/** A program that asks its model, and prints what it knows as its key. */
const ASK = `const { OPENAI_BASE_URL: url, OPENAI_API_KEY: key } = process.env
const answer = await fetch(url + '/models', { headers: { authorization: 'Bearer ' + key } })
console.log(answer.status, key)`
const asker = {
  type: 'asker',
  command: serviceNode,
  args: ['--input-type=module', '-e', ASK, '{prompt}'],
  reads: fixtureReads,
  provider: 'openai',
  parse: 'text',
}

const folder = temporaryFolder()
let wire: Wire
let service: Service
let api: Connection
const start = async (env: Record<string, string> = {}) => {
  service = await startService({
    env: {
      DATA_DIR: folder.in('data'),
      OPENAI_BASE_URL: `${wire.origin}/v1`,
      COMMAND_AGENTS: JSON.stringify([asker]),
      LOG_LEVEL: 'debug',
      ...env,
    },
  })
  api = connect(service.baseUrl)
}
beforeAll(async () => {
  wire = await startWire()
  await start()
})
afterAll(async () => {
  await service?.kill9()
  await wire?.close()
  folder[Symbol.dispose]()
})

const call = async (method: string, route: string, body?: object) => {
  const init = { method, headers: { 'content-type': 'application/json' } }
  const answer = await fetch(`${service.baseUrl}/api/${route}`, {
    ...init,
    ...(body && { body: JSON.stringify(body) }),
  })
  return { status: answer.status, text: await answer.text() }
}
const json = async (method: string, route: string, body?: object) =>
  JSON.parse((await call(method, route, body)).text)

const openAiKey = async () => {
  const { keys } = await json('GET', 'model-keys')
  return keys.find(({ provider }: { provider: string }) => provider === 'openai')
}
const asking = async () => (await api.client.listAgents()).agents.find(({ type }) => type === 'asker')
const quick = () => json('POST', 'chat/quick', { prompt: 'Hello' })
const stored = () =>
  readdirSync(folder.in('data'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(path.join(entry.parentPath, entry.name), 'latin1'))
    .join('\n')

if (isOffline) process.stderr.write('SKIPPED: functions run no programs\n')
const oneProcess = isOffline ? it.skip : it

describe('a key that an admin stores', () => {
  it('is checked before it is stored: the answer of the provider is told, without the key', async () => {
    wire.replies = [status(401, { error: { message: `Incorrect API key provided: ${KEY}` } })]
    const refused = await call('POST', 'model-keys/openai/check', { apiKey: KEY })
    expect(JSON.parse(refused.text)).toEqual({
      accepted: false,
      message: 'OpenAI rejected the API key (HTTP 401): Incorrect API key provided: [redacted]',
    })
    wire.replies = [status(200, { data: [] })]
    expect(await json('POST', 'model-keys/openai/check', { apiKey: KEY })).toEqual({
      accepted: true,
      message: 'OpenAI accepts the key',
      latencyMs: expect.any(Number),
    })
    expect(wire.heard.at(-1)).toMatchObject({
      method: 'GET',
      path: '/v1/models',
      headers: { authorization: `Bearer ${KEY}` },
    })
    expect(await openAiKey()).toEqual({
      provider: 'openai',
      name: 'OpenAI',
      variable: 'OPENAI_API_KEY',
      source: 'none',
      unreadable: false,
    })
  })

  it('gives chat and the coding agent a model at once, in place of the demo model', async () => {
    expect((await quick()).provider).toBe('demo')
    const lacking = isOffline ? {} : { missingSettings: ['OPENAI_API_KEY'] }
    expect(await asking()).toMatchObject({ configured: false, ...lacking })
    wire.replies = [saying('Real.')]
    const { key } = await json('PUT', 'model-keys/openai', { apiKey: KEY })
    expect(key).toMatchObject({ source: 'stored', masked: 'plan********' })
    expect(await quick()).toMatchObject({ provider: 'openai', content: 'Real.' })
    expect(await api.perform({ title: 'With the stored key', prompt: 'Say so' })).toMatchObject({
      status: 'completed',
      result: { output: 'Real.' },
    })
    expect(wire.heard.at(-1)?.headers.authorization).toBe(`Bearer ${KEY}`)
    expect(await asking()).toMatchObject({ configured: !isOffline })
  })

  oneProcess(
    'gives an agent that is a program its model, through the broker: the program does not see it',
    async () => {
      wire.replies = [status(200, { data: [] })]
      const task = await api.perform({ title: 'Ask', prompt: 'Ask', assignedAgent: 'asker' })
      expect(task).toMatchObject({
        status: 'completed',
        result: { output: expect.stringMatching(/^200 \S+$/) },
      })
      expect(task.result?.output).not.toContain(KEY)
      expect(wire.heard.at(-1)).toMatchObject({
        path: '/v1/models',
        headers: { authorization: `Bearer ${KEY}` },
      })
    },
  )

  it('is on record, and found in no answer, no log line and no file', async () => {
    const { records } = await json('GET', 'audit?action=model-key.set')
    expect(records).toEqual([expect.objectContaining({ details: { provider: 'openai' } })])
    const places = [
      'model-keys',
      'audit',
      'agents',
      'chat/providers',
      'settings',
      'health/detailed',
      'tasks/export',
    ]
    const answers = await Promise.all(places.map(async (place) => (await call('GET', place)).text))
    expect([...answers, service.output(), stored()].join('\n')).not.toContain(KEY)
  })

  it('gives way after a restart to one in the environment, which cannot be replaced, and is there without that', async () => {
    await service.kill9()
    await start({ OPENAI_API_KEY: 'planted.of.environment' })
    wire.replies = [saying('Real.')]
    await quick()
    expect(wire.heard.at(-1)?.headers.authorization).toBe('Bearer planted.of.environment')
    expect(await openAiKey()).toMatchObject({ source: 'environment', masked: 'plan********' })
    const refused = await call('PUT', 'model-keys/openai', { apiKey: 'another-key' })
    expect(refused.status).toBe(400)
    expect(JSON.parse(refused.text)).toMatchObject({
      code: 'setting_not_changeable',
      error: expect.stringContaining('is set by OPENAI_API_KEY in the environment'),
    })
    await service.kill9()
    await start()
    await quick()
    expect(wire.heard.at(-1)?.headers.authorization).toBe(`Bearer ${KEY}`)
    expect(await openAiKey()).toMatchObject({ source: 'stored' })
  })

  it('is removed at once, twice without an error, and the demo model answers again', async () => {
    for (let times = 0; times < 2; times += 1)
      expect((await json('DELETE', 'model-keys/openai')).key).toMatchObject({ source: 'none' })
    expect((await quick()).provider).toBe('demo')
    expect((await json('GET', 'audit?action=model-key.remove')).records).toHaveLength(1)
  })

  it.each([
    ['of no provider', 'nothing', KEY, 404, 'provider_not_found'],
    ['of one that takes none', 'ollama', KEY, 404, 'provider_not_found'],
    ['of one that lacks its address', 'azure', KEY, 404, 'provider_not_found'],
    ['that is empty', 'openai', '', 400, 'validation_failed'],
    ['that ends in a line break', 'openai', `${KEY}\n`, 400, 'validation_failed'],
    ['that is masked', 'openai', 'plan********', 400, 'validation_failed'],
    ['with a space in it', 'openai', 'two words', 400, 'validation_failed'],
    ['that is too long', 'openai', 'k'.repeat(501), 400, 'validation_failed'],
  ])('%s is refused', async (_, provider, apiKey, code, error) => {
    const answer = await call('PUT', `model-keys/${provider}`, { apiKey })
    expect([answer.status, JSON.parse(answer.text).code]).toEqual([code, error])
  })
})
