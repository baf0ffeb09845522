import { randomBytes } from 'node:crypto'
import * as path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { secretNames } from '../../lib/config/config.ts'
import { PROVIDER_KINDS } from '../../lib/config/families.ts'
import {
  calling,
  chunk,
  DONE,
  events,
  saying,
  startWire,
  status,
  usage,
  type Wire,
} from '../fakes/model-wire.ts'
import type { Channel } from '../fixtures/agents/echoing.ts'
import { until } from './api.ts'
import { type Connection, connect } from './client.ts'
import { isOffline, launchService, root, type Service, startService, temporaryFolder } from './service.ts'

/** A secret for every setting that holds one, of no form that could be guessed: what hides it must know it. */
const plantCanary = (name: string): string => {
  if (name === 'ENCRYPTION_KEY') return randomBytes(32).toString('base64')
  const planted = `planted_${randomBytes(16).toString('hex')}`
  return name === 'OTEL_EXPORTER_OTLP_HEADERS' ? `authorization=${planted}` : planted
}
const canaries = Object.fromEntries(secretNames.map((name) => [name, plantCanary(name)]))
if (isOffline)
  process.stderr.write('SKIPPED: the start of npm run offline warns of no short secret, its worker does\n')
const folder = temporaryFolder()
let wire: Wire
let service: Service
let api: Connection
let cookie: string
beforeAll(async () => {
  wire = await startWire(status(401, {}))
  const env = {
    ...canaries,
    DATA_DIR: folder.in('data'),
    AGENT_ADAPTERS: path.join(root, 'test/fixtures/agents/echoing.ts'),
    // Nothing is asked of the real providers.
    ...Object.fromEntries(
      PROVIDER_KINDS.map((kind) => [`${kind.toUpperCase()}_BASE_URL`, 'http://127.0.0.1:9/v1']),
    ),
    OPENAI_BASE_URL: `${wire.origin}/v1`,
    OPENAI_MODEL: 'model-7',
    // Of those on the chat-completions wire it tells its reasoning.
    OLLAMA_BASE_URL: `${wire.origin}/v1`,
    OLLAMA_MODEL: 'model-8',
    DEFAULT_PROVIDER: 'openai',
    QUEUE_RETRY_BACKOFF_MS: '1',
    QUEUE_RETRY_ATTEMPTS: '2',
    LOG_LEVEL: 'debug',
  }
  service = await startService({ env })
  const signIn = await fetch(`${service.baseUrl}/api/auth/verify-access-key`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ key: canaries.ACCESS_KEY }),
  })
  cookie = signIn.headers.get('set-cookie')?.split(';')[0] ?? ''
  api = connect(service.baseUrl, { cookie })
})
afterAll(async () => {
  await service?.kill9()
  await wire?.close()
  folder[Symbol.dispose]()
})

const PLACES = [
  ...['tasks?full=true', 'tasks/export', 'dlq', 'notifications', 'agents', 'audit', 'queue/status'],
  ...['security/audit?limit=200', 'security/approvals', 'security/policy'],
]
const OF_HEALTH = ['health/detailed', 'health/metrics']

/** Everything that the service shows or writes of its tasks, its agents and what was done. */
const allThatIsTold = async (id: string): Promise<string> => {
  const paths = [`tasks/${id}`, `tasks/${id}/events`, ...PLACES, ...OF_HEALTH]
  const texts = paths.map(async (path) => {
    const answer = await fetch(`${service.baseUrl}/api/${path}`, { headers: { cookie } })
    // Where the echoing agent is asked, it says that it is not well, and so is the service.
    const isWell = answer.status === 200 || (path === 'health/detailed' && answer.status === 503)
    expect([path, isWell]).toEqual([path, true])
    return answer.text()
  })
  return [...(await Promise.all(texts)), service.output()].join('\n')
}

/** The settings whose secret, or a good part of it, is found there. */
const leakedSettings = (text: string): string[] =>
  Object.entries(canaries).flatMap(([name, canary]) =>
    encodedForms(canary).some((tell) => text.includes(tell)) ? [name] : [],
  )
const encodedForms = (canary: string) => [
  canary,
  encodeURIComponent(canary),
  Buffer.from(canary).toString('hex'),
  btoa(`user:${canary}`).slice(8, -8),
]

/** A text in pieces of so many characters, as a model streams its tokens. */
const tokens = (text: string, length = 3): string[] => text.match(new RegExp(`[^]{1,${length}}`, 'g')) ?? []

describe('a secret of the settings', () => {
  it.each<[Channel, string]>([
    ['progress', 'completed'],
    ['pieces', 'completed'],
    ['result', 'completed'],
    ['failure', 'failed'],
    ['error', 'failed'],
    ['code', 'failed'],
  ])('is shown nowhere when an agent of the operator tells it by its %s', async (channel, ends) => {
    const task = await api.perform({ title: 'Tell', assignedAgent: 'echoing', metadata: { channel } })
    expect(task.status).toBe(ends)
    expect(leakedSettings(await allThatIsTold(task.id))).toEqual([])
    const said = (await api.events(task.id)).map(({ message = '' }) => message).join('')
    expect(leakedSettings(said)).toEqual([])
    expect(JSON.stringify(task) + said).toContain(channel === 'code' ? 'agent_error' : '[masked]')
  })

  it('is shown nowhere when the coding agent comes upon it, and its model is not told', async () => {
    const list = Object.values(canaries)
    const text = list.join('\n')
    wire.heard.length = 0
    wire.replies = [
      calling(['write_file', { path: 'found.txt', content: `${text}\n` }]),
      calling(['read_file', { path: 'found.txt' }]),
      calling(['run_command', { command: 'printf', args: ['%s\\n', ...list] }]),
      calling(['run_command', { command: 'no-such-program', args: list }]),
      calling(['git', { args: ['diff', '--no-index', '--', '/dev/null', 'found.txt'] }]),
      calling(['search_files', { query: 'planted' }]),
      saying(...list.flatMap((canary) => [canary.slice(0, 11), `${canary.slice(11)}\n`])),
    ]
    const task = await api.perform({ title: 'Look around', assignedAgent: 'coding-agent' })
    expect(task).toMatchObject({ status: 'completed', result: { toolCalls: 6 } })
    expect(JSON.stringify(task.result)).toContain('+[masked]')
    expect(leakedSettings(await allThatIsTold(task.id))).toEqual([])
    const told = wire.heard.flatMap(({ body }) =>
      (body?.messages ?? []).filter(({ role }: { role: string }) => role === 'tool'),
    )
    expect(told.length).toBeGreaterThan(0)
    expect(leakedSettings(JSON.stringify(told))).toEqual([])
  })

  const spoken = `Found: ${Object.values(canaries).join(' ')}.`
  const masked = `Found: ${Object.values(canaries)
    .map(() => '[masked]')
    .join(' ')}.`
  const post = async (path: string, body: object): Promise<string> => {
    const headers = { 'content-type': 'application/json', cookie }
    const init = { method: 'POST', headers, body: JSON.stringify(body) }
    return (await fetch(`${service.baseUrl}/api/chat/${path}`, init)).text()
  }
  /** What the frames of a stream say of each kind, put together. */
  const joined = (text: string, frameText: (frame: Frame) => string | undefined) =>
    text
      .split('\n')
      .flatMap((line) => (line.startsWith('data: ') ? [JSON.parse(line.slice('data: '.length))] : []))
      .map((frame) => frameText(frame) ?? '')
      .join('')
  type Frame = { content?: string; type?: string; data?: { text?: string } }
  const ofType = (type: string) => (frame: Frame) => (frame.type === type ? frame.data?.text : undefined)
  const messages = [{ role: 'user', content: 'What did you find?' }]
  const asked = { content: 'What did you find?', provider: 'ollama' }

  it.each<[how: string, say: (conversationId: string) => Promise<string>, isStored: boolean]>([
    ['a completion', async () => JSON.parse(await post('completions', { messages })).message.content, false],
    [
      'a streamed completion',
      async () => joined(await post('completions', { messages, stream: true }), ({ content }) => content),
      false,
    ],
    [
      'a streamed completion in a conversation',
      async (conversationId) =>
        joined(
          await post('completions', { messages, stream: true, conversationId }),
          ({ content }) => content,
        ),
      true,
    ],
    [
      'a message',
      async (id) => JSON.parse(await post(`conversations/${id}/messages`, asked)).assistantMessage.content,
      true,
    ],
    [
      'a message with tools',
      async (id) =>
        JSON.parse(await post(`conversations/${id}/messages/with-tools`, asked)).assistantMessage.content,
      true,
    ],
    [
      'an agentic turn',
      async (id) => joined(await post(`conversations/${id}/messages/agentic`, asked), ofType('content')),
      true,
    ],
    [
      'the thinking of an agentic turn',
      async (id) =>
        joined(await post(`conversations/${id}/messages/agentic`, asked), ofType('thinking:update')),
      true,
    ],
  ])(
    'that a model says token by token is masked in %s, from its first token on',
    async (_how, say, isStored) => {
      wire.heard.length = 0
      const pieces = tokens(spoken)
      wire.replies = [
        events(
          ...pieces.map((reasoning_content) => chunk({ reasoning_content })),
          ...pieces.map((content) => chunk({ content })),
          chunk({}, 'stop'),
          usage(1, 1),
          DONE,
        ),
      ]
      const { conversation } = await api.client.createConversation({ body: {} })
      expect(await say(conversation.id)).toBe(masked)
      const stored = (await api.client.getConversation({ params: { id: conversation.id } })).messages
      expect(stored.at(-1)?.content).toBe(isStored ? masked : undefined)
      const { sessions } = await api.client.listAgentSessions({ query: { conversationId: conversation.id } })
      for (const { id } of sessions) {
        const path = `${service.baseUrl}/api/chat/sessions/${id}/events`
        const again = await (await fetch(path, { headers: { cookie } })).text()
        expect(joined(again, ofType('content'))).toBe(masked)
        expect(joined(again, ofType('thinking:update'))).toBe(masked)
      }
    },
  )

  it('that a model gives to a tool is masked in what is shown and stored of the call', async () => {
    wire.heard.length = 0
    wire.replies = [calling(['write_file', { path: 'found.txt', content: spoken }]), saying('Done')]
    const { conversation } = await api.client.createConversation({ body: {} })
    const { id } = conversation
    const waiting = await post(`conversations/${id}/messages/with-tools`, { ...asked, securityMode: 'ask' })
    const { approvals } = await api.client.listApprovals()
    await api.client.decideApproval({
      params: { id: approvals[0]?.id ?? '' },
      body: { decision: 'allow-once' },
    })
    const shown = await until(async () => {
      const found = await api.client.getConversation({ params: { id } })
      return found.messages.at(-1)?.content === 'Done' ? JSON.stringify(found) : undefined
    })
    expect(shown).toContain(JSON.stringify(masked))
    expect(leakedSettings(waiting + JSON.stringify(approvals) + shown)).toEqual([])
  })

  it('is masked in the log and the record of requests that quote it', async () => {
    for (const canary of Object.values(canaries)) {
      await api.client.createToken({ body: { name: canary, scopes: ['gateway'] } })
    }
    const records = JSON.stringify((await api.client.listAudit()).records)
    expect(leakedSettings(records + service.output())).toEqual([])
    expect(records).toContain('"name":"[masked]"')
    expect(service.output()).toContain('"name":"[masked]"')
  })

  it('is masked in what keeps the service from starting', async () => {
    const AGENT_ADAPTERS = path.join(root, 'test/fixtures/agents/throwing.ts')
    const env = { ...canaries, DATA_DIR: folder.in('other'), AGENT_ADAPTERS }
    const { code, stderr } = await launchService({ env }).exited
    expect([code, leakedSettings(stderr)]).toEqual([1, []])
    expect(stderr).toContain('and a second [masked]')
  })

  it('is shown nowhere when a provider quotes it in an error', async () => {
    const message = `Incorrect: ${Object.values(canaries).join(' ')}`
    wire.replies = [status(401, { error: { message, code: 'bad' } })]
    const task = await api.perform({ title: 'Locked out', assignedAgent: 'coding-agent' })
    expect(task.status).toBe('failed')
    expect(leakedSettings(await allThatIsTold(task.id))).toEqual([])
  })

  // In pro the worker says it, once its function is opened.
  const inOneProcess = isOffline ? it.skip : it
  inOneProcess('that is too short to be masked is named at the start', async () => {
    const env = { DATA_DIR: folder.in('short'), ACCESS_KEY: 'sesame', OIDC_CLIENT_SECRET: 'long enough' }
    await using short = await startService({ env })
    const warnings = short
      .output()
      .split('\n')
      .filter((line) => line.includes('not masked'))
    expect(warnings.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({ level: 'warn', settings: ['ACCESS_KEY'] }),
    ])
  })
})
