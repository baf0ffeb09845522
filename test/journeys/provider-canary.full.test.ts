import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { type Loopback, onLoopback } from '../../offline/loopback.ts'
import {
  chunk,
  DONE,
  events,
  type Heard,
  type Reply,
  saying,
  startWire,
  status,
  usage,
  type Wire,
} from '../fakes/model-wire.ts'
import { type Connection, connect } from './client.ts'
import { type Service, startService, temporaryFolder } from './service.ts'

/** The key of the provider, which it knows; of no form that could be guessed. */
const CANARY = 'planted.canary/7Qx2mLw9+Tz4'
const FORMS = {
  plain: CANARY,
  base64: Buffer.from(CANARY).toString('base64'),
  base64url: Buffer.from(CANARY).toString('base64url'),
  hex: Buffer.from(CANARY).toString('hex'),
}
const TELLTALES = [...Object.values(FORMS), encodeURIComponent(CANARY)]

const folder = temporaryFolder()
let wire: Wire
let receiver: Loopback
let service: Service
let api: Connection
/** What the receiver of outbound webhooks got. */
let delivered = ''
beforeAll(async () => {
  wire = await startWire()
  receiver = await onLoopback(
    createServer(async (request, response) => {
      delivered += await text(request)
      response.end()
    }),
  )
  service = await startService({
    env: {
      DATA_DIR: folder.in('data'),
      OPENAI_API_KEY: CANARY,
      OPENAI_BASE_URL: `${wire.origin}/v1`,
      OPENAI_MODEL: 'model-7',
      OUTBOUND_ALLOW_HOSTS: '127.0.0.1',
      QUEUE_RETRY_BACKOFF_MS: '1',
      QUEUE_RETRY_ATTEMPTS: '1',
      LOG_LEVEL: 'debug',
    },
  })
  api = connect(service.baseUrl)
  const all = ['task.created', 'task.completed', 'task.failed'] as const
  await api.client.createWebhook({ body: { url: receiver.url, events: [...all], generateSecret: true } })
})
afterAll(async () => {
  await service?.kill9()
  await receiver?.stop()
  await wire?.close()
  folder[Symbol.dispose]()
})

const call = (id: string, name: string, input: object) =>
  events(
    chunk({
      tool_calls: [{ index: 0, id, type: 'function', function: { name, arguments: JSON.stringify(input) } }],
    }),
    chunk({}, 'tool_calls'),
    usage(1, 1),
    DONE,
  )
const withHeaders =
  (reply: Reply, form: string): Reply =>
  (res, heard) => {
    for (const name of ['x-request-id', 'retry-after', 'x-ratelimit-reset-tokens']) res.setHeader(name, form)
    return reply(res, heard)
  }

/** The secret in every form; ids and names are too short for all of them. */
const ALL = Object.values(FORMS).join(' ')

/** What a provider sends with the canary in one of its fields. */
const FIELDS: Readonly<Record<string, (form: string) => Reply>> = {
  ...Object.fromEntries(
    Object.entries(FORMS).flatMap(([name, form]) => [
      [`the name of a tool (${name})`, () => call('a', form, {})],
      [`the id of a call (${name})`, () => call(form, 'list_files', {})],
    ]),
  ),
  text: (form) => saying(`It is ${form}.`),
  'text in deltas': (form) => saying(...form),
  thinking: (form) =>
    events(
      ...[...form].map((one) => chunk({ reasoning_content: one })),
      ...[chunk({ content: 'Hm' }), chunk({}, 'stop'), DONE],
    ),
  'the arguments of a tool': (form) => call('a', 'write_file', { path: 'a.txt', content: form }),
  'a task that a tool creates': (form) =>
    call('a', 'create_task', { title: `Title ${form}`, prompt: `Prompt ${form}` }),
  'a key of arguments': (form) => call('a', 'list_files', { [form]: form }),
  'a path that is refused': (form) => call('a', 'read_file', { path: `/etc/${form}` }),
  'id and model of the answer': (form) =>
    events(
      { ...chunk({ content: 'Hi' }), id: form, model: form, system_fingerprint: form },
      chunk({}, 'stop'),
      DONE,
    ),
  'the reason of the end': (form) => events(chunk({ content: 'Hi' }), chunk({}, form), DONE),
  usage: (form) =>
    events(
      chunk({ content: 'Hi' }),
      chunk({}, 'stop'),
      { ...usage(1, 1), usage: { prompt_tokens: form } },
      DONE,
    ),
  'the message of an error': (form) =>
    status(400, { error: { message: `No ${form}`, code: form, type: form } }),
  'a code of an error': (form) => status(500, { error: { message: '', code: form, type: form } }),
  'an error without JSON': (form) => (res) => res.writeHead(403).end(`No ${form}`),
  'an error in the stream': (form) =>
    events(chunk({ content: 'Hi' }), { error: { message: form, code: form } }),
  'what cannot be read': (form) => events(`data: {${form}\n\n`),
  headers: (form) => withHeaders(saying('Hi'), form),
  'headers of a rate limit': (form) => withHeaders(status(429, { error: form }), form),
}

const read = async (path: string): Promise<string> => (await fetch(`${service.baseUrl}/api/${path}`)).text()
const post = async (path: string, body: object): Promise<string> => {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  return (await fetch(`${service.baseUrl}/api/${path}`, init)).text()
}

/** Everything that the service shows, sends or writes. */
const allThatIsTold = async (taskId: string, conversationId: string): Promise<string> => {
  const { sessions } = await api.client.listAgentSessions()
  const paths = [
    ...[`tasks/${taskId}`, `tasks/${taskId}/events`, `chat/conversations/${conversationId}`],
    ...sessions.flatMap(({ id }) => [`chat/sessions/${id}`, `chat/sessions/${id}/events`]),
    ...['tasks?full=true', 'tasks/export', 'dlq', 'notifications', 'audit', 'security/audit?limit=200'],
    ...[
      'security/approvals',
      'chat/conversations',
      'chat/models',
      'agents',
      'health/detailed',
      'health/metrics',
    ],
  ]
  const texts = await Promise.all(paths.map(read))
  return [...texts, service.output(), delivered].join('\n')
}

/** Whether the model is told the result of a call. */
const hasResult = ({ body }: Heard): boolean => JSON.stringify(body).includes('"role":"tool"')

describe('the key of a provider', () => {
  it.each(Object.entries(FIELDS))('that the provider sends as %s is found nowhere', async (_field, reply) => {
    wire.heard.length = 0
    const answer = (heard: Heard): Reply => {
      if (heard.body === undefined) return status(200, { data: [] })
      return hasResult(heard) ? saying('Done') : reply(ALL)
    }
    wire.replies = [(res, heard) => answer(heard)(res, heard)]
    const { conversation } = await api.client.createConversation({ body: {} })
    const messages = [{ role: 'user', content: 'Hi' }]
    const said = { content: 'Hi', securityMode: 'full' }
    const answers = [
      await post('chat/completions', { messages }),
      await post('chat/completions', { messages, stream: true }),
      await post(`chat/conversations/${conversation.id}/messages/with-tools`, said),
      await post(`chat/conversations/${conversation.id}/messages/agentic`, { content: 'Hi' }),
    ]
    const task = await api.perform({ title: 'Look', assignedAgent: 'coding-agent' })
    const told = [...answers, await allThatIsTold(task.id, conversation.id)].join('\n')
    expect(TELLTALES.filter((tell) => told.includes(tell))).toEqual([])
    expect(wire.heard.length).toBeGreaterThan(4)
  })
})
