import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { routes } from '../../lib/api/routes.ts'
import type { Route } from '../../lib/http/route.ts'
import { brokenPromise } from '../api/promise.ts'
import type { Answer } from '../http/answer.ts'
import { until } from './api.ts'
import { type Connection, connect } from './client.ts'
import { ADMIN, type Fuzzed, RUNNER, requests } from './fuzz.ts'
import { moodyTask, moodyWorld } from './moody.ts'
import { rawSender } from './raw.ts'
import { startService } from './service.ts'

// With so many, every route is come to.
const REQUESTS = Number(process.env.FUZZ ?? 8_000)
const SEED = Number(process.env.FUZZ_SEED ?? 20_261_124)
const MOST_MS = 210_000 + 30 * REQUESTS
/** Refusals of a state, not of a field, have nothing to name. */
const STATES = [
  ...['task_state_conflict', 'dead_letter_not_pending', 'memory_session_state_conflict'],
  ...['email_taken', 'last_admin', 'too_many_schedules', 'schedule_contended'],
  ...['too_many_webhooks', 'webhook_paused'],
  ...['turn_under_way', 'turn_state_conflict', 'cancelled', 'session_state_conflict'],
  ...['approval_pending', 'message_too_long', 'model_unknown'],
  ...['runner_removed', 'lease_lost', 'token_bound', 'email_not_available'],
]
/** What is asked for in a mode, or of a provider, that is not there: 501 by contract. */
const UNSUPPORTED = ['oauth_not_configured', 'local_mode_only']
/** A code that somebody would have had to read from another screen, a secret, what one request has removed for good, or what only a model calls for. */
const UNKNOWN = [
  ...['pairing_code_not_found', 'rate_limited', 'too_many_pairing_requests', 'invalid_signature'],
  ...['memory_file_not_found', 'memory_chunk_not_found', 'experience_not_found'],
  ...['approval_not_found', 'allowed_tool_not_found', 'audit_entry_not_found'],
  ...['session_not_found', 'device_not_found', 'wrong_password', 'bad_reset_code'],
  ...[
    'conversation_not_found',
    'task_not_found',
    'ticket_not_found',
    'schedule_not_found',
    'hold_not_found',
    'webhook_not_found',
    'delivery_not_found',
  ],
  ...['runner_not_found', 'push_subscription_not_found', 'phone_link_not_found', 'bad_phone_link'],
  'provider_not_found',
]

/** Of no account: it stays when a runner is removed. */
const RUNNER_TOKEN = `${'f3'.repeat(8)}0123456789abcdef`

const ENDING: readonly Fuzzed['name'][] = ['changePassword', 'endSession', 'endOtherSessions']

/** The doors are open for somebody who may do everything; whoever logs out is another session of the same one. */
const signIn = async (baseUrl: string) => {
  const ask = async (path: string, body: object, token = '') => {
    const answer = await fetch(baseUrl + path, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(token && { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify(body),
    })
    const session = /svc_session=([^;]+)/.exec(answer.headers.get('set-cookie') ?? '')?.[1] ?? ''
    return { session, json: (await answer.json()) as Record<string, string> }
  }
  const { session } = await ask('/api/auth/signup', ADMIN)
  const other = await ask('/api/auth/login', ADMIN)
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
  const made = (name: string, scope = 'gateway') => ask('/api/tokens', { name, scopes: [scope] }, session)
  const [token, spare, runnerToken] = [
    await made('kept'),
    await made('spare'),
    await made('runner', 'runner'),
  ]
  const registered = await ask('/api/runners', RUNNER, runnerToken.json.token)
  const { runner } = registered.json as unknown as { runner: { id: string } }
  const phone = await ask('/api/auth/phone', {}, session)
  const request = await ask('/api/gateway', { task: { title: 'Fuzzed' } }, token.json.token)
  const pairing = await ask('/api/devices/pairing/request', { requesterId: 'phone' })
  const paired = await ask('/api/devices/pairing/request', { requesterId: 'tablet' })
  const approved = await ask('/api/devices/pairing/approve', { code: paired.json.code }, session)
  const { request: device } = approved.json as unknown as { request: { id: string } }
  const invite = await ask('/api/auth/invites', {}, session)
  const { invite: { id } = { id: '' } } = invite.json as unknown as { invite?: { id: string } }
  const stretch = await ask('/api/memory/sessions', { name: 'Fuzzed' }, session)
  const { session: memory } = stretch.json as unknown as { session: { id: string } }
  const talk = async () => {
    const { json } = await ask('/api/chat/conversations', {}, session)
    return (json as unknown as { conversation: { id: string } }).conversation.id
  }
  const schedule = async () => {
    const given = { name: 'Fuzzed', cron: '0 4 1 1 *', task: { title: 'Fuzzed' } }
    const { json } = await ask('/api/schedules', given, session)
    return (json as unknown as { schedule: { id: string } }).schedule.id
  }
  const webhook = async () => {
    const given = { url: 'http://127.0.0.1:9/', events: ['task.failed'] }
    const { json } = await ask('/api/webhooks', given, session)
    return (json as unknown as { webhook: { id: string } }).webhook.id
  }
  const schedules = [await schedule(), await schedule(), await webhook(), await webhook()]
  const talks = [await talk(), await talk(), await talk()]
  const learned = { type: 'tool_chain', intent: 'Fuzz', solution: 'Do' }
  const lesson = await ask('/api/memory/experiences', learned, session)
  const { experience } = lesson.json as unknown as { experience: { id: string } }
  // Whoever ends sessions is somebody else, or nobody would be let in any more.
  const eve = await ask('/api/auth/signup', { ...ADMIN, email: 'eve@example.com' })
  await ask('/api/auth/login', { ...ADMIN, email: 'eve@example.com' })
  const own = await fetch(`${baseUrl}/api/auth/sessions`, { headers: bearer(eve.session) })
  const { sessions } = (await own.json()) as { sessions: { id: string; current: boolean }[] }
  const ended = sessions.find(({ current }) => !current)
  return {
    headers: bearer(session),
    callerHeaders: (name: Fuzzed['name']) => {
      const { access }: Route = routes[name]
      if (access === 'gateway') return bearer(token.json.token ?? '')
      if (access === 'runner') return bearer(RUNNER_TOKEN)
      if (ENDING.includes(name)) return bearer(eve.session)
      return bearer(name === 'logout' ? other.session : session)
    },
    ids: [
      ended?.id,
      ...schedules,
      spare.json.id,
      request.json.requestId,
      pairing.json.requestId,
      pairing.json.code,
      device.id,
      id,
      memory.id,
      experience.id,
      runner.id,
      phone.json.id,
      ...talks,
      ...[
        'notes.md',
        'team%2Frules.md',
        'no-provider',
        ...['chk', 'apv', 'tca', 'sess', 'hold', 'psh'].map((kind) => `${kind}_${'0'.repeat(26)}`),
      ],
    ].map(String),
  }
}

/** Ids and cursors of every kind, so that the requests also hit what is there. */
const seed = async ({ client, perform, create }: Connection, more: readonly string[]): Promise<string[]> => {
  const each = <T>(make: (title: string) => Promise<T>) => Promise.all(['a', 'b', 'c', 'd', 'e'].map(make))
  const tasks = [
    await perform(moodyTask('completed')),
    ...(await each((title) => perform(moodyTask(title, { failures: 99 })))),
    ...(await each((title) => create(moodyTask(title, { runMs: 600_000 })))),
  ]
  const { notifications } = await until(async () => {
    const list = await client.listNotifications()
    return list.total === 5 ? list : undefined
  })
  const { items } = await client.listDlq()
  const { nextCursor = '' } = await client.listTasks({ query: { limit: 1 } })
  const { users } = await client.listUsers()
  const { failures } = await client.listFailures()
  const bulk = await client.bulkTasks({ body: { action: 'cancel', ids: ['none'] } })
  const jobs = 'job' in bulk ? [bulk.job] : []
  const ids = [...tasks, ...items, ...notifications, ...users, ...jobs].map(({ id }) => id)
  return [...ids, ...failures.map(({ fingerprint }) => fingerprint), nextCursor, ...more]
}

/** What else the routes of a path answer with: the method of a request may have become that of another one. */
const alsoAt = (at: string): unknown[] =>
  Object.values<Route>(routes).flatMap(({ path, alsoStatus }) => (path === at ? [alsoStatus] : []))

/** What is wrong with an answer, or undefined. */
const answerFault = ({ name, asked }: Fuzzed, answer: Answer): string | undefined => {
  const { status, text, json } = answer
  // The answer to a HEAD does not say why.
  if (status === 501 && (asked.method === 'HEAD' || UNSUPPORTED.includes(errorCode(answer)))) return undefined
  // An unhealthy service says so by 503, nobody by 401; everything else of 500 and more is a fault of ours.
  if (alsoAt(routes[name].path).includes(status)) return undefined
  if (status >= 500) return `is ${status}`
  if (asked.method === 'HEAD') return text === '' ? undefined : 'has a body'
  if (status < 400)
    return text === '' ? 'is empty' : brokenPromise(asked.method ?? 'GET', asked.path, { status, body: json })
  return faultOfRefusal(status, (json ?? {}) as Record<string, unknown>)
}

const faultOfRefusal = (status: number, { error, code, requestId, details }: Record<string, unknown>) => {
  if (![error, code, requestId].every((part) => typeof part === 'string'))
    return 'is not in the form of an error'
  if (status !== 400 || STATES.includes(String(code))) return undefined
  const issues = Array.isArray(details) ? details : []
  const isNamed =
    issues.length > 0 && issues.every(({ path, message }) => typeof path === 'string' && message)
  return isNamed ? undefined : 'names no field'
}

const errorCode = ({ json }: Answer) => String((json as { code?: unknown } | undefined)?.code)

/** Whether a handler found what it was asked about. */
const isEntered = (answer: Answer) =>
  answer.status < 300 || [...STATES, ...UNSUPPORTED, ...UNKNOWN].includes(errorCode(answer))

describe('every route', () => {
  it(
    `answers ${REQUESTS} requests of any kind with no 5xx, and refusals in one form`,
    async () => {
      using world = moodyWorld({
        AUTH_MODE: 'cloud',
        REGISTRATION_MODE: 'open',
        OUTBOUND_ALLOW_HOSTS: '127.0.0.1',
        RUNNER_TOKEN,
      })
      await using service = await startService({ ...world, mostMs: MOST_MS })
      using raw = rawSender(service.baseUrl)
      const caller = await signIn(service.baseUrl)
      const api = connect(service.baseUrl, caller.headers)
      const entered = new Set<string>()
      const refused = new Map<string, string>()
      const property = fc.asyncProperty(requests(await seed(api, caller.ids)), async (fuzzed) => {
        const { asked } = fuzzed
        const headers = { ...caller.callerHeaders(fuzzed.name), ...asked.headers }
        const answer = await raw.send({ ...asked, headers })
        if (isEntered(answer)) entered.add(fuzzed.name)
        else refused.set(fuzzed.name, `${answer.status} ${errorCode(answer)}`)
        const fault = answerFault(fuzzed, answer)
        if (fault) throw new Error(`The answer ${fault}: ${answer.text.slice(0, 500)}`)
      })
      await fc.assert(property, { numRuns: REQUESTS, seed: SEED, endOnFailure: false })

      // Most refusals came from behind the doors, and what was let in was counted right.
      const missed = Object.keys(routes).filter((name) => !entered.has(name))
      expect(
        missed.map(
          (name) =>
            `${name}: its handler was not reached, only ${refused.get(name)}: is the example of its body one that it does something for?`,
        ),
      ).toEqual([])
      expect(service.output()).not.toMatch(/"level":"error"/)
      const { tasks, taskCount } = await api.client.exportTasks()
      const { totalTasks } = await api.client.taskAnalytics()
      expect([taskCount, totalTasks]).toEqual([tasks.length, tasks.length])
    },
    MOST_MS,
  )
})
