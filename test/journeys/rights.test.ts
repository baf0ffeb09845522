import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { chunk, hang, startWire, type Wire } from '../fakes/model-wire.ts'
import { eventsIn, startAgentic } from './agentic-events.ts'
import { until } from './api.ts'
import { connect } from './client.ts'
import { type OpenedService, openService } from './opened-service.ts'
import { isOffline } from './service.ts'

if (isOffline) process.stderr.write('SKIPPED: a second stack of functions is not started\n')

const PASSWORD = 'correct horse 1'
let wire: Wire
let service: OpenedService
/** The cookie of a session of each person. */
const people = { root: '', ann: '' }

/** Sends a request with the cookie of a session. */
const send = (cookie: string, request: string, body?: object) => {
  const [method = 'GET', path = '/'] = request.split(' ')
  return fetch(`${service.baseUrl}${path}`, {
    method,
    headers: { cookie, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
}
const signIn = async (route: 'signup' | 'login', name: string) => {
  const account = {
    email: `${name}@example.com`,
    password: PASSWORD,
    ...(route === 'signup' ? { name } : {}),
  }
  const answer = await send('', `POST /api/auth/${route}`, account)
  return answer.headers.getSetCookie()[0]?.split(';')[0] ?? ''
}
const signedInClient = (cookie: string) => connect(service.baseUrl, { cookie }).client
const ownUserId = async (cookie: string) =>
  ((await (await send(cookie, 'GET /api/auth/me')).json()) as { user: { id: string } }).user.id

beforeAll(async () => {
  wire = await startWire(hang(chunk({ role: 'assistant', content: 'Well' })))
  service = await openService({
    AUTH_MODE: 'cloud',
    REGISTRATION_MODE: 'open',
    OPENAI_BASE_URL: `${wire.origin}/v1`,
    OPENAI_MODEL: 'model-7',
    OPENAI_API_KEY: 'key-of-a-provider',
    DEFAULT_PROVIDER: 'openai',
  })
  people.root = await signIn('signup', 'root')
  people.ann = await signIn('signup', 'ann')
})
afterAll(async () => {
  await service?.[Symbol.asyncDispose]()
  await wire?.close()
})

/** A stream that is read on from where it was left; `until` resolves to whether that came before its end. */
const readEvents = (response: Response) => {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  return {
    until: async (isEnough: (events: ReturnType<typeof eventsIn>) => boolean) => {
      while (!isEnough(eventsIn(text))) {
        const { value, done } = (await reader?.read()) ?? { done: true }
        if (done) return false
        text += value
      }
      return true
    },
    /** The text of the whole stream, once it has ended. */
    rest: async () => {
      for (;;) {
        const { value, done } = (await reader?.read()) ?? { done: true }
        if (done) return text
        text += value
      }
    },
  }
}

const codeIn = (text: string) => /"code":"(\w+)"/.exec(text)?.[1]

/**
 * Requests of a session that stay open, each up to its answer or, of a stream, to its first event. `over` is how each
 * ends.
 */
const openAll = async (cookie: string) => {
  const client = signedInClient(cookie)
  const heard = wire.heard.length
  // A task that an earlier test made may call the model late.
  const begun = () => wire.heard.slice(heard).filter(({ body }) => JSON.stringify(body).includes('"Hi"'))
  const converse = async () => (await client.createConversation({ body: { title: 'Open' } })).conversation.id
  const message = { content: 'Hi' }
  const said = { messages: [{ role: 'user', content: 'Hi' }] }
  const [agentic, plain, tools] = [await converse(), await converse(), await converse()]
  const working = readEvents(await startAgentic(service.baseUrl, agentic, message, { headers: { cookie } }))
  await working.until((events) => events.some(({ type }) => type === 'content'))
  const [{ id: sessionId } = { id: '' }] = (
    await client.listAgentSessions({ query: { conversationId: agentic } })
  ).sessions
  const followed = readEvents(await send(cookie, `GET /api/chat/sessions/${sessionId}/events`))
  const live = readEvents(await send(cookie, 'GET /api/events/stream'))
  const streamed = readEvents(await send(cookie, 'POST /api/chat/completions', { ...said, stream: true }))
  const waiting = [
    send(cookie, 'POST /api/chat/completions', said),
    send(cookie, `POST /api/chat/conversations/${plain}/messages`, message),
    send(cookie, `POST /api/chat/conversations/${tools}/messages/with-tools`, message),
  ]
  const over = Promise.all([
    ...[working, followed, live, streamed].map(async (stream) => codeIn(await stream.rest()) ?? 'ended'),
    ...waiting.map(async (answer) => (await answer).status),
  ])
  // All five calls of the model have begun.
  await until(() => begun().length === 5 || undefined)
  return { sessionId, over }
}
const ENDED = ['RIGHTS_ENDED', 'RIGHTS_ENDED', 'ended', 'rights_ended', 401, 401, 401]

describe('the open requests of a person', () => {
  it('end within seconds when the session ends, and those of her other session go on', async () => {
    const other = readEvents(await send(people.ann, 'GET /api/events/stream'))
    await other.until((events) => events.length > 0)
    const cookie = await signIn('login', 'ann')
    const { over } = await openAll(cookie)
    const from = performance.now()
    expect((await send(cookie, 'POST /api/auth/logout')).status).toBe(200)
    expect(await over).toEqual(ENDED)
    // The deadline that the docs promise.
    expect(performance.now() - from).toBeLessThan(5_000)
    const { task } = await signedInClient(people.ann).createTask({ body: { title: 'Still there?' } })
    expect(await other.until((events) => events.some(({ data }) => data.id === task.id))).toBe(true)
  })

  it('end when an admin disables the account, and her turns with them', async () => {
    const { over, sessionId } = await openAll(people.ann)
    const userId = await ownUserId(people.ann)
    expect((await send(people.root, `PATCH /api/users/${userId}`, { disabled: true })).status).toBe(200)
    expect(await over).toEqual(ENDED)
    expect((await send(people.root, `PATCH /api/users/${userId}`, { disabled: false })).status).toBe(200)
    const { session } = await signedInClient(await signIn('login', 'ann')).getAgentSession({
      params: { id: sessionId },
    })
    expect(session).toMatchObject({ status: 'failed', error: { code: 'RIGHTS_ENDED' } })
  })

  it('end when their API token is revoked', async () => {
    const client = signedInClient(people.root)
    const { token, id } = await client.createToken({ body: { name: 'CI', scopes: ['gateway'] } })
    const heard = wire.heard.length
    const asked = fetch(`${service.baseUrl}/api/gateway`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ task: { title: 'Wait' }, options: { synchronous: true } }),
    })
    await until(() => wire.heard.length > heard || undefined)
    await client.revokeToken({ params: { id } })
    const answer = await asked
    expect([answer.status, await answer.json()]).toMatchObject([401, { code: 'rights_ended' }])
  })
})

// One service at a time speaks to the emulators.
;(isOffline ? describe.skip : describe)('a stream of a service without sign-in', () => {
  it('ends when an access key is set', async () => {
    await using open = await openService()
    const stream = readEvents(await fetch(`${open.baseUrl}/api/events/stream`))
    await stream.until((events) => events.length > 0)
    await connect(open.baseUrl).client.changeAccessKey({ body: { key: 'the first key' } })
    await stream.rest()
    expect((await fetch(`${open.baseUrl}/api/events/stream`)).status).toBe(401)
  })
})
