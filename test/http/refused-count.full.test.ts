import { once } from 'node:events'
import { request } from 'node:http'
import { describe, expect, it } from '@jest/globals'
import { routes } from '../../lib/api/routes.ts'
import type { Route } from '../../lib/http/route.ts'
import { visit } from '../accounts/visitor.ts'
import { openedService } from '../journeys/opened-service.ts'
import { rawSender } from '../journeys/raw.ts'
import type { Environment } from '../journeys/service.ts'

type Headers = Readonly<Record<string, string>>
/** A body that is refused, and with which status. */
type Refused = { body: string | Buffer; headers?: Headers; status: number }

const LARGE = 'x'.repeat(1_048_577)
// A limit of five calls is met before the last, which is refused as the one before it is.
const refused: readonly Refused[] = [
  { body: LARGE, headers: { 'transfer-encoding': 'chunked' }, status: 413 },
  { body: LARGE, status: 413 },
  { body: `[${'{},'.repeat(100_000)}{}]`, status: 413 },
  { body: '{"unfit":1}', status: 400 },
  { body: Buffer.of(0xff), status: 400 },
  { body: '{', status: 400 },
]

type Case = { path: string; calls: number; as?: 'token' | 'session' }

/** The cases of each group ask one service; behind a proxy each from an address of its own. */
const groups: readonly { env: Environment; cases: readonly Case[] }[] = [
  {
    env: { AUTH_MODE: 'cloud', REGISTRATION_MODE: 'open', TRUST_PROXY: '1' },
    cases: [
      { path: '/api/auth/login', calls: 10 },
      { path: '/api/auth/phone/sign-in', calls: 10 },
      { path: '/api/auth/signup', calls: 5 },
      { path: '/api/auth/reset', calls: 10 },
      { path: '/api/auth/password', calls: 10, as: 'session' },
      { path: '/api/devices/pairing/approve', calls: 10, as: 'session' },
      { path: '/api/devices/pairing/reject', calls: 10, as: 'session' },
    ],
  },
  { env: { ACCESS_KEY: 'the right key' }, cases: [{ path: '/api/auth/verify-access-key', calls: 10 }] },
  {
    env: { GATEWAY_RATE_LIMIT_RPM: '6' },
    cases: [
      { path: '/api/devices/pairing/request', calls: 60 },
      { path: '/api/tasks/import', calls: 30 },
      { path: '/api/gateway', calls: 6, as: 'token' },
    ],
  },
]

/** The headers by which a service knows its caller, who signs up from another address than the calls come from. */
const credentials = {
  token: async (baseUrl: string): Promise<Headers> => {
    using visitor = visit(baseUrl, {}, { direct: true })
    const { body } = await visitor.send('POST /api/tokens', { name: 'program', scopes: ['gateway'] })
    return { authorization: `Bearer ${body.token}` }
  },
  session: async (baseUrl: string, name: string): Promise<Headers> => {
    using visitor = visit(baseUrl)
    expect((await visitor.signUp(name)).status).toBe(200)
    return { authorization: `Bearer ${visitor.token()}` }
  },
}

const all: readonly Route[] = Object.values(routes)

describe('a limit of calls', () => {
  it('is tested here for every route that has one and takes a body', () => {
    // Of chat what is open at once is limited, not how often it is called: see test/limits/open.test.ts.
    const limited = all.filter(
      (route) => route.limited && (route.body ?? route.rawBody) && !route.path.startsWith('/api/chat/'),
    )
    const tested = groups.flatMap(({ cases }) => cases)
    expect(limited.map(({ path }) => path).toSorted()).toEqual(tested.map(({ path }) => path).toSorted())
  })

  describe.each(groups)('with $env', ({ env, cases }) => {
    const service = openedService(env)

    it.each(cases)('counts bodies that are refused, and is asked before one is read: $path', async (one) => {
      const { path, calls, as } = one
      const { baseUrl } = service()
      using raw = rawSender(baseUrl)
      const headers = {
        ...(env.TRUST_PROXY && { 'x-forwarded-for': `203.0.113.${cases.indexOf(one)}` }),
        ...(as && (await credentials[as](baseUrl, `user-${cases.indexOf(one)}`))),
      }
      for (let n = 0; n < calls; n++) {
        const { body, status, headers: more } = refused[n % refused.length] as Refused
        const answer = await raw.send({ method: 'POST', path, body, headers: { ...headers, ...more } })
        expect([n, answer.status]).toEqual([n, status])
      }

      const sent = request(`${baseUrl}${path}`, {
        method: 'POST',
        agent: false,
        headers: { 'content-type': 'application/json', 'content-length': '1000', ...headers },
      })
      sent.on('error', () => undefined)
      sent.flushHeaders()
      const [answer] = await once(sent, 'response')
      expect(answer.statusCode).toBe(429)
      sent.destroy()
    })
  })
})
