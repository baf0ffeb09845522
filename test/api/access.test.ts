import { beforeAll, describe, expect, it } from '@jest/globals'
import { routes } from '../../lib/api/routes.ts'
import type { Access, Route } from '../../lib/http/route.ts'
import { openedService } from '../journeys/opened-service.ts'

/** Everybody who may come to the door. */
const callers = [
  'nobody',
  'stranger',
  'unknown',
  'user',
  'other',
  'admin',
  'device',
  'gateway',
  'webhooks',
  'runner',
] as const
type Caller = (typeof callers)[number]

/** A token that is nobody's. */
const FALSE = { stranger: 401, unknown: 401 } as const
/** Who has shown nothing that counts. */
const UNPROVEN = { nobody: 401, ...FALSE } as const
const MACHINES = { gateway: 401, webhooks: 401, runner: 401 } as const
/** Whoever has a session, that of a device included. */
const PEOPLE = { user: 401, other: 401, admin: 401, device: 401 } as const

/** What a route for `access` says to each of them; where it says nothing of the two, the caller was let in. */
const refusals: Readonly<Record<Access, Partial<Record<Caller, 401 | 403>>>> = {
  any: {},
  public: FALSE,
  optional: FALSE,
  session: { ...UNPROVEN, ...MACHINES },
  admin: { ...UNPROVEN, ...MACHINES, user: 403, other: 403, device: 403 },
  gateway: { ...UNPROVEN, ...PEOPLE, webhooks: 403, runner: 403 },
  webhooks: { ...UNPROVEN, gateway: 403, runner: 403 },
  runner: { ...UNPROVEN, ...PEOPLE, gateway: 403, webhooks: 403 },
}

const service = openedService({ AUTH_MODE: 'cloud', REGISTRATION_MODE: 'open' })
const tokens: Partial<Record<Caller, string>> = {
  stranger: 'svc_notoken',
  unknown: 'nobody-ever-issued-this',
}

const send = async (method: string, path: string, { token, body }: { token?: string; body?: object } = {}) =>
  fetch(service().baseUrl + path, {
    method,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    redirect: 'manual',
  })

const signUp = async (name: string) => {
  const answer = await send('POST', '/api/auth/signup', {
    body: { email: `${name}@example.org`, name, password: 'correct horse 1' },
  })
  expect(answer.status).toBe(200)
  return /svc_session=([^;]+)/.exec(answer.headers.get('set-cookie') ?? '')?.[1] ?? ''
}

const json = async (answer: Promise<Response>) => (await (await answer).json()) as Record<string, string>

/** Pairs a device of the user, as people do: asked for on the device, approved by its code. */
const pairDevice = async (token: string): Promise<string> => {
  const { requestId, code } = await json(
    send('POST', '/api/devices/pairing/request', { body: { requesterId: 'phone' } }),
  )
  await send('POST', '/api/devices/pairing/approve', { token, body: { code } })
  return (await json(send('GET', `/api/devices/pairing/status/${requestId}`))).token ?? ''
}

const makeToken = async (token: string, scope: string): Promise<string> =>
  (await json(send('POST', '/api/tokens', { token, body: { name: scope, scopes: [scope] } }))).token ?? ''

beforeAll(async () => {
  for (const name of ['admin', 'user', 'other'] as const) tokens[name] = await signUp(name)
  // Of somebody else: a user who ends all other sessions ends those of devices too.
  tokens.device = await pairDevice(await signUp('owner'))
  for (const scope of ['gateway', 'webhooks', 'runner'] as const)
    tokens[scope] = await makeToken(tokens.admin ?? '', scope)
})

/** What is sent fits no schema and names nothing that is there, so that whoever is let in changes nothing. */
const attempt = async ({ method, path }: Route, caller: Caller) => {
  const token = tokens[caller]
  const body = method === 'GET' || method === 'DELETE' ? undefined : { limit: 'x' }
  const answer = await send(method, path.replaceAll(/\{[^}]+\}/g, 'x'), {
    ...(token === undefined ? {} : { token }),
    ...(body === undefined ? {} : { body }),
  })
  const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream')
  const text = isStream ? '' : await answer.text()
  if (isStream) await answer.body?.cancel()
  return { status: answer.status, code: /"code":"([a-z_]+)"/.exec(text)?.[1] }
}

/** Codes of a guard; what a route says itself to somebody it let in is another matter. */
const GUARD = ['not_signed_in', 'invalid_token', 'token_required', 'admin_only', 'scope_missing']

const all: readonly [string, Route][] = Object.entries<Route>(routes)
// Ends the session it is asked with, so it comes last.
const inOrder = [...all].sort(([a], [b]) => Number(a === 'logout') - Number(b === 'logout'))

describe('who may call what', () => {
  it.each(callers.filter((caller) => caller !== 'nobody'))('is asked by %s with a token', (caller) => {
    expect(tokens[caller]?.length).toBeGreaterThan(10)
  })

  it.each(inOrder)('holds for %s', async (_name, route) => {
    const answers: Record<string, unknown> = {}
    for (const caller of callers) {
      const { status, code = '' } = await attempt(route, caller)
      answers[caller] = GUARD.includes(code) ? status : 'let in'
    }
    const wanted = callers.map((caller) => [caller, refusals[route.access][caller] ?? 'let in'])
    expect(answers).toEqual(Object.fromEntries(wanted))
  })
})
