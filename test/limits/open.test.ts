import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { chunk, hang, saying, startWire, type Wire } from '../fakes/model-wire.ts'
import { until } from '../journeys/api.ts'
import { connect } from '../journeys/client.ts'
import { type OpenedService, openService } from '../journeys/opened-service.ts'

let wire: Wire
let service: OpenedService
beforeAll(async () => {
  wire = await startWire()
  service = await openService({
    USER_MAX_TURNS: '2',
    USER_MAX_STREAMS: '2',
    OPENAI_BASE_URL: `${wire.origin}/v1`,
    OPENAI_MODEL: 'model-7',
    OPENAI_API_KEY: 'key-of-a-provider',
    DEFAULT_PROVIDER: 'openai',
  })
})
afterAll(async () => {
  await service?.[Symbol.asyncDispose]()
  await wire?.close()
})

const post = (path: string, body: object, signal?: AbortSignal) =>
  fetch(`${service.baseUrl}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...(signal ? { signal } : {}),
  })
const converse = async () =>
  (await connect(service.baseUrl).client.createConversation({ body: {} })).conversation.id
const said = { messages: [{ role: 'user', content: 'Hi' }] }
const script = (...replies: Wire['replies']) => {
  wire.heard.length = 0
  wire.replies = replies
}
const answerStatus = async (answer: Response) => {
  await answer.body?.cancel()
  return answer.status
}

describe('what one user may have open in a service', () => {
  it('are so many turns of any kind: the next one is refused before the model hears of it', async () => {
    script(hang(chunk({ role: 'assistant', content: 'Well' })))
    const leaving = new AbortController()
    const [plain, refused] = [await converse(), await converse()]
    const open = [
      post('/api/chat/completions', said, leaving.signal).catch(() => undefined),
      post(`/api/chat/conversations/${plain}/messages`, { content: 'Hi' }).then(({ status }) => status),
    ]
    await until(() => wire.heard.length === 2 || undefined)
    const kinds: [path: string, body: object][] = [
      ['/api/chat/completions', said],
      ['/api/chat/completions', { ...said, stream: true }],
      ['/api/chat/completions', { ...said, conversationId: refused }],
      ['/api/chat/smart', said],
      ['/api/chat/quick', { prompt: 'Hi' }],
      [`/api/chat/conversations/${refused}/messages`, { content: 'Hi' }],
      [`/api/chat/conversations/${refused}/messages/with-tools`, { content: 'Hi' }],
      [`/api/chat/conversations/${refused}/messages/agentic`, { content: 'Hi' }],
    ]
    for (const [path, body] of kinds) {
      const answer = await post(path, body)
      expect([path, answer.status, await answer.json()]).toMatchObject([
        path,
        429,
        { code: 'too_many_turns', error: expect.stringMatching(/2 model responses in progress/) },
      ])
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
    }
    expect(wire.heard).toHaveLength(2)
    const { client } = connect(service.baseUrl)
    expect((await client.getConversation({ params: { id: refused } })).messages).toEqual([])
    // Each ends in its way, and all are free again.
    leaving.abort()
    await client.cancelTurn({ params: { id: plain } })
    expect(await open[1]).toBe(400)
    script(saying('Here.'))
    await until(
      async () => (await answerStatus(await post('/api/chat/completions', said))) === 200 || undefined,
    )
    for (const [path, body] of kinds)
      expect([path, await answerStatus(await post(path, body))]).toEqual([path, 200])
    await until(async () => {
      const both = await Promise.all(
        [1, 2].map(() => post('/api/chat/quick', { prompt: 'Hi' }).then(answerStatus)),
      )
      return both.every((status) => status === 200) || undefined
    })
  })

  it('are so many streams: one more ends the oldest that can be resumed, with an event', async () => {
    const leaving = new AbortController()
    const follow = () => fetch(`${service.baseUrl}/api/events/stream`, { signal: leaving.signal })
    const open = [await follow(), await follow(), await follow()]
    expect(open.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(await open[0]?.text()).toMatch(
      /retry: 30000\ndata: \{"type":"replaced","data":\{"message":"This stream was closed/,
    )
    script(saying('Here.'))
    const streamed = await post('/api/chat/completions', { ...said, stream: true })
    expect([streamed.status, await streamed.text()]).toEqual([200, expect.stringContaining('Here.')])
    expect(await open[1]?.text()).toMatch(/"type":"replaced"/)
    leaving.abort()
    await open[2]?.text().catch(() => undefined)
  })

  it('are no more streams that cannot be resumed: the next one is refused before the model hears of it', async () => {
    script(hang(chunk({ role: 'assistant', content: 'Well' })))
    const leaving = new AbortController()
    const stream = () => post('/api/chat/completions', { ...said, stream: true }, leaving.signal)
    const open = [await stream(), await stream()]
    expect(open.map(({ status }) => status)).toEqual([200, 200])
    const refused = await fetch(`${service.baseUrl}/api/events/stream`)
    expect([refused.status, await refused.json()]).toMatchObject([429, { code: 'too_many_streams' }])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    leaving.abort()
    // A HEAD is no stream that stays open.
    await until(async () => {
      const head = await fetch(`${service.baseUrl}/api/events/stream`, { method: 'HEAD' })
      return head.status === 200 || undefined
    })
    for (let n = 0; n < 5; n += 1)
      await until(async () => {
        const head = await fetch(`${service.baseUrl}/api/events/stream`, { method: 'HEAD' })
        return head.status === 200 || undefined
      })
  })
})
