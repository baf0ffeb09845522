import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import {
  chunk,
  DONE,
  events,
  type Heard,
  hang,
  type Reply,
  reset,
  saying,
  startWire,
  status,
  type Wire,
} from '../fakes/model-wire.ts'
import { type OpenedService, openService } from '../journeys/opened-service.ts'

const KEY = 'planted.canary.key'

let wire: Wire
let service: OpenedService
beforeAll(async () => {
  wire = await startWire()
  service = await openService({
    AGENTIC_TIMEOUT_MS: '4000',
    DEFAULT_PROVIDER: 'openai',
    OPENAI_API_KEY: KEY,
    OPENAI_BASE_URL: `${wire.origin}/v1`,
    OPENAI_MODEL: 'model-7',
    ANTHROPIC_API_KEY: KEY,
    ANTHROPIC_BASE_URL: wire.origin,
    ANTHROPIC_MODEL: 'model-8',
  })
})
afterAll(async () => {
  await service?.[Symbol.asyncDispose]()
  await wire?.close()
})

/** The same answers on each wire. After `begun`, "Hello" has been said; before `calls`, "Looking" is. */
type Answers = { begun: readonly unknown[]; whole: Reply; empty: Reply; calls: Reply }

const begin = {
  type: 'message_start',
  message: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'model-8',
    content: [],
    stop_reason: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  },
}
const block = (content_block: object, ...deltas: readonly object[]) => [
  { type: 'content_block_start', index: 0, content_block },
  ...deltas.map((delta) => ({ type: 'content_block_delta', index: 0, delta })),
]
const text = (...texts: readonly string[]) =>
  block({ type: 'text', text: '' }, ...texts.map((one) => ({ type: 'text_delta', text: one })))
const end = (stop_reason: string) => [
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 1 } },
  { type: 'message_stop' },
]
const listFiles = { name: 'list_files', arguments: '{}' }
const toolUse = { type: 'tool_use', id: 'toolu_1', name: 'list_files', input: {} }

const KINDS = ['openai', 'anthropic'] as const
type Kind = (typeof KINDS)[number]
const WIRES: Readonly<Record<Kind, Answers>> = {
  openai: {
    begun: [chunk({ role: 'assistant', content: 'Hel' }), chunk({ content: 'lo' })],
    whole: saying('Hel', 'lo'),
    empty: events(chunk({ role: 'assistant', content: '' }), chunk({}, 'stop'), DONE),
    calls: events(
      chunk({ role: 'assistant', content: 'Looking' }),
      chunk({ tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: listFiles }] }),
      chunk({}, 'tool_calls'),
      DONE,
    ),
  },
  anthropic: {
    begun: [begin, ...text('Hel', 'lo')],
    whole: events(begin, ...text('Hel', 'lo'), ...end('end_turn')),
    empty: events(begin, ...text(''), ...end('end_turn')),
    calls: events(
      begin,
      ...text('Looking'),
      { type: 'content_block_stop', index: 0 },
      ...block(toolUse, { type: 'input_json_delta', partial_json: '{}' }),
      ...end('tool_use'),
    ),
  },
}
const OOPS = 'data: {"choices": oops\n\n'
const error = { type: 'error', error: { type: 'api_error', message: `${KEY} is no key` } }

type Fault = [what: string, reply: (answers: Answers) => Reply, code: number, name: string]
const EARLY: Fault[] = [
  ['answers 500', () => status(500, error), 503, 'provider_error'],
  ['answers 429', () => status(429, {}, { 'retry-after-ms': '1' }), 429, 'rate_limited'],
  ['answers 429 and says no time', () => status(429, {}), 429, 'rate_limited'],
  ['answers 401', () => status(401, error), 503, 'provider_error'],
  ['says nothing', ({ empty }) => empty, 503, 'provider_error'],
  ['sends what is no chunk', () => events(OOPS), 503, 'provider_error'],
  ['ends its stream at once', () => events(), 503, 'provider_error'],
  ['drops the connection', () => reset(), 503, 'provider_error'],
  ['hangs', () => hang(), 503, 'timeout'],
]
const LATE: Fault[] = [
  ['sends what is no chunk', ({ begun }) => events(...begun, OOPS), 503, 'provider_error'],
  ['cuts its stream', ({ begun }) => events(...begun), 503, 'provider_error'],
  ['drops the connection', ({ begun }) => reset(...begun), 503, 'provider_error'],
  ['hangs', ({ begun }) => hang(...begun), 503, 'timeout'],
]
// biome-ignore lint/suspicious/noExplicitAny: the answers of many routes.
type Body = any
const ask = async (path: string, body?: object) => {
  const answer = await fetch(`${service.baseUrl}/api/chat/${path}`, {
    method: body ? 'POST' : 'GET',
    ...(body ? { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } } : {}),
  })
  const said = await answer.text()
  expect(said).not.toContain(KEY)
  if (answer.status === 429) expect(answer.headers.get('retry-after')).toMatch(/^\d+$/)
  const isJson = (answer.headers.get('content-type') ?? '').includes('json')
  return { status: answer.status, text: said, body: (isJson ? JSON.parse(said) : undefined) as Body }
}
const framesIn = (said: string): Body[] =>
  said.split('\n').flatMap((line) => (line.startsWith('data: ') ? [JSON.parse(line.slice(6))] : []))

/** What both wires answer from now on. */
const script = (reply: (answers: Answers) => Reply) => {
  wire.heard.length = 0
  wire.replies = [
    (res, heard) => reply(WIRES[heard.path.endsWith('/messages') ? 'anthropic' : 'openai'])(res, heard),
  ]
}
const converse = async (): Promise<string> => (await ask('conversations', {})).body.conversation.id
const lastMessage = async (id: string) => (await ask(`conversations/${id}`)).body.messages.at(-1)

/** A request to every endpoint that calls a model, each in a conversation of its own. */
const startTurns = async (kind: Kind) => {
  const model = `${kind}/model-9`
  const messages = [{ role: 'user', content: 'Hi' }]
  const ids = await Promise.all(Array.from({ length: 4 }, converse))
  const [streamed = '', plain = '', tooled = '', agentic = ''] = ids
  const said = { content: 'Hi', model }
  return {
    kind,
    ids: { streamed, plain, tooled, agentic },
    answers: async () => {
      const [whole, stream, message, withTools, session] = await Promise.all([
        ask('completions', { messages, model }),
        ask('completions', { messages, model, stream: true, conversationId: streamed }),
        ask(`conversations/${plain}/messages`, said),
        ask(`conversations/${tooled}/messages/with-tools`, { ...said, securityMode: 'full' }),
        ask(`conversations/${agentic}/messages/agentic`, said),
      ])
      return { plain: { whole, message, withTools }, stream, session }
    },
  }
}

/** What all endpoints answer while the provider does so, on both wires at once: some faults take their time. */
const answersTo = async (reply: Fault[1]) => {
  const started = await Promise.all(KINDS.map(startTurns))
  script(reply)
  return Promise.all(started.map(async ({ kind, ids, answers }) => ({ kind, ids, ...(await answers()) })))
}

/** A session that failed: its last event says why, and none says that it was complete. */
const expectFailed = (said: string | undefined, name: string) => {
  const told = framesIn(said ?? '')
  expect(told.at(-1)).toMatchObject({ type: 'error', data: { code: name.toUpperCase() } })
  const types = told.map(({ type }) => type)
  for (const type of ['complete', 'summary', 'message_saved']) expect(types).not.toContain(type)
}

/** Whether the model is told the result of a call. */
const hasResult = ({ body }: Heard) => /"role":"tool"|"type":"tool_result"/.test(JSON.stringify(body))

/** The providers are asked again, so their faults have closed nothing. */
const expectWorking = async () => {
  script(({ whole }) => whole)
  const messages = [{ role: 'user', content: 'Hi' }]
  for (const kind of KINDS)
    expect((await ask('completions', { messages, model: `${kind}/model-9` })).status).toBe(200)
}

describe('a provider, on either wire, that', () => {
  it.each(EARLY)(
    '%s at once is reported by a status, and by the last event of a session',
    async (_what, reply, code, name) => {
      const all = await answersTo(reply)
      for (const { kind, ids, plain, stream, session } of all) {
        for (const [what, answer] of Object.entries({ ...plain, stream }))
          expect([kind, what, answer.status, answer.body?.code]).toEqual([kind, what, code, name])
        expectFailed(session.text, name)
        // What was said is kept.
        for (const id of Object.values(ids)) expect(await lastMessage(id)).toMatchObject({ role: 'user' })
      }
      await expectWorking()
      // The next turn is not kept out.
      for (const { kind, ids } of all) {
        const next = { content: 'Hi', model: `${kind}/model-9` }
        expect((await ask(`conversations/${ids.agentic}/messages`, next)).status).toBe(200)
      }
    },
  )

  it.each(LATE)(
    '%s after some text is reported, and what it said is kept with the reason',
    async (_what, reply, code, name) => {
      for (const { kind, ids, plain, stream, session } of await answersTo(reply)) {
        for (const [what, answer] of Object.entries(plain))
          expect([kind, what, answer.status, answer.body?.code]).toEqual([kind, what, code, name])
        expectFailed(session.text, name)
        const frames = framesIn(stream.text)
        expect(stream.text).toMatch(/event: error\ndata: \{[^\n]*\}\n\n$/)
        expect(frames.at(-1)).toMatchObject({ code: name, error: expect.any(String) })
        expect(frames.some(({ done }) => done)).toBe(false)
        const told = frames.map(({ content = '' }) => content).join('')
        expect(told).toBe('Hello')
        for (const id of [ids.streamed, ids.plain, ids.agentic])
          expect(await lastMessage(id)).toMatchObject({ content: 'Hello', error: { code: name } })
      }
      await expectWorking()
    },
  )

  it.each([...EARLY.slice(0, 4), ...LATE])(
    '%s after a call of a tool is reported, and the call is kept with the reason',
    async (_what, reply, code, name) => {
      script((answers) => (res, heard) => (hasResult(heard) ? reply(answers) : answers.calls)(res, heard))
      const askBoth = async (kind: Kind) => {
        const said = { content: 'Hi', model: `${kind}/model-9` }
        const ids = [await converse(), await converse()]
        const [tooled, agentic] = ids
        const [withTools, session] = await Promise.all([
          ask(`conversations/${tooled}/messages/with-tools`, { ...said, securityMode: 'full' }),
          ask(`conversations/${agentic}/messages/agentic`, said),
        ])
        return { kind, ids, withTools, session }
      }
      for (const { kind, ids, withTools, session } of await Promise.all(KINDS.map(askBoth))) {
        expect([kind, withTools.status, withTools.body?.code]).toEqual([kind, code, name])
        expectFailed(session.text, name)
        const types = framesIn(session.text).map(({ type }) => type)
        expect(types.filter((type) => type.startsWith('tool:'))).toEqual(['tool:call', 'tool:result'])
        const toolCalls = [{ name: 'list_files', status: 'success' }]
        for (const id of ids)
          expect(await lastMessage(id)).toMatchObject({ role: 'assistant', toolCalls, error: { code: name } })
      }
      await expectWorking()
    },
  )
})
