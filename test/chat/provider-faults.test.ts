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

const WIRES: Readonly<Record<string, Answers>> = {
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
/** Each fault on each wire. */
const onWires = (faults: Fault[]) =>
  Object.entries(WIRES).flatMap(([kind, answers]) =>
    faults.map(([what, reply, code, name]) => [kind, what, reply(answers), code, name, answers] as const),
  )

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

const script = (...replies: Reply[]) => {
  wire.heard.length = 0
  wire.replies = replies
}
const converse = async (): Promise<string> => (await ask('conversations', {})).body.conversation.id
const lastMessage = async (id: string) => (await ask(`conversations/${id}`)).body.messages.at(-1)

/** A request to every endpoint that calls a model, each in a conversation of its own. */
const startTurns = async (kind: string) => {
  const model = `${kind}/model-9`
  const messages = [{ role: 'user', content: 'Hi' }]
  const ids = await Promise.all(Array.from({ length: 4 }, converse))
  const [streamed = '', plain = '', tooled = '', agentic = ''] = ids
  const said = { content: 'Hi', model }
  return {
    ids: { streamed, plain, tooled, agentic },
    answers: async () => {
      const all = await Promise.all([
        ask('completions', { messages, model }),
        ask('completions', { messages, model, stream: true, conversationId: streamed }),
        ask(`conversations/${plain}/messages`, said),
        ask(`conversations/${tooled}/messages/with-tools`, { ...said, securityMode: 'full' }),
        ask(`conversations/${agentic}/messages/agentic`, said),
      ])
      const [whole, stream, message, withTools, session] = all
      return { whole, stream, message, withTools, session } as Record<string, (typeof all)[number]>
    },
  }
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

/** The provider is asked again, so its faults have closed nothing. */
const expectWorking = async (kind: string, { whole }: Answers) => {
  script(whole)
  const messages = [{ role: 'user', content: 'Hi' }]
  expect((await ask('completions', { messages, model: `${kind}/model-9` })).status).toBe(200)
}

describe('a provider on the wire of', () => {
  it.each(onWires(EARLY))(
    '%s that %s at once is reported by a status, and by the last event of a session',
    async (kind, _what, reply, code, name, answers) => {
      const { ids, ...requests } = await startTurns(kind)
      script(reply)
      const { session, ...others } = await requests.answers()
      for (const [what, answer] of Object.entries(others))
        expect([what, answer.status, answer.body?.code]).toEqual([what, code, name])
      expectFailed(session?.text, name)
      // What was said is kept, and the next turn is not kept out.
      for (const id of Object.values(ids)) expect(await lastMessage(id)).toMatchObject({ role: 'user' })
      await expectWorking(kind, answers)
      const next = { content: 'Hi', model: `${kind}/model-9` }
      expect((await ask(`conversations/${ids.agentic}/messages`, next)).status).toBe(200)
    },
  )

  it.each(onWires(LATE))(
    '%s that %s after some text is reported, and what it said is kept with the reason',
    async (kind, _what, reply, code, name, answers) => {
      const { ids, ...requests } = await startTurns(kind)
      script(reply)
      const { session, stream, ...others } = await requests.answers()
      for (const [what, answer] of Object.entries(others))
        expect([what, answer.status, answer.body?.code]).toEqual([what, code, name])
      expectFailed(session?.text, name)
      const frames = framesIn(stream?.text ?? '')
      expect(stream?.text).toMatch(/event: error\ndata: \{[^\n]*\}\n\n$/)
      expect(frames.at(-1)).toMatchObject({ code: name, error: expect.any(String) })
      expect(frames.some(({ done }) => done)).toBe(false)
      const told = frames.map(({ content = '' }) => content).join('')
      expect(told).toBe('Hello')
      for (const id of [ids.streamed, ids.plain, ids.agentic])
        expect(await lastMessage(id)).toMatchObject({ content: 'Hello', error: { code: name } })
      await expectWorking(kind, answers)
    },
  )

  it.each(onWires([...EARLY.slice(0, 4), ...LATE]))(
    '%s that %s after a call of a tool is reported, and the call is kept with the reason',
    async (kind, _what, reply, code, name, answers) => {
      const said = { content: 'Hi', model: `${kind}/model-9` }
      const [tooled, agentic] = [await converse(), await converse()]
      script((res, heard) => (hasResult(heard) ? reply : answers.calls)(res, heard))
      const [withTools, session] = await Promise.all([
        ask(`conversations/${tooled}/messages/with-tools`, { ...said, securityMode: 'full' }),
        ask(`conversations/${agentic}/messages/agentic`, said),
      ])
      expect([withTools.status, withTools.body?.code]).toEqual([code, name])
      expectFailed(session.text, name)
      const types = framesIn(session.text).map(({ type }) => type)
      expect(types.filter((type) => type.startsWith('tool:'))).toEqual(['tool:call', 'tool:result'])
      const toolCalls = [{ name: 'list_files', status: 'success' }]
      for (const id of [tooled, agentic])
        expect(await lastMessage(id)).toMatchObject({ role: 'assistant', toolCalls, error: { code: name } })
      await expectWorking(kind, answers)
    },
  )
})
