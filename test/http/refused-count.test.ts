import { once } from 'node:events'
import { request } from 'node:http'
import { describe, expect, it } from '@jest/globals'
import { routes } from '../../lib/api/routes.ts'
import type { Route } from '../../lib/http/route.ts'
import { visit } from '../accounts/visitor.ts'
import { rawSender } from '../journeys/raw.ts'
import { startService, temporaryFolder } from '../journeys/service.ts'

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

type Case = { path: string; calls: number; env: Headers; as?: 'token' | 'session' }

const CLOUD = { AUTH_MODE: 'cloud', REGISTRATION_MODE: 'open' }
const cases: readonly Case[] = [
  { path: '/api/auth/login', calls: 10, env: CLOUD },
  { path: '/api/auth/signup', calls: 5, env: CLOUD },
  { path: '/api/auth/verify-access-key', calls: 10, env: { ACCESS_KEY: 'the right key' } },
  { path: '/api/auth/reset', calls: 10, env: CLOUD },
  { path: '/api/auth/password', calls: 10, env: CLOUD, as: 'session' },
  { path: '/api/devices/pairing/request', calls: 60, env: {} },
  { path: '/api/devices/pairing/approve', calls: 10, env: {} },
  { path: '/api/devices/pairing/reject', calls: 10, env: {} },
  { path: '/api/tasks/import', calls: 30, env: {} },
  { path: '/api/gateway', calls: 6, env: { GATEWAY_RATE_LIMIT_RPM: '6' }, as: 'token' },
]

/** The headers by which a service knows its caller. */
const credentials = {
  token: async (baseUrl: string): Promise<Headers> => {
    using visitor = visit(baseUrl, {}, { direct: true })
    const { body } = await visitor.send('POST /api/tokens', { name: 'program', scopes: ['gateway'] })
    return { authorization: `Bearer ${body.token}` }
  },
  session: async (baseUrl: string): Promise<Headers> => {
    const account = { email: 'ann@example.com', password: 'correct horse 1', name: 'Ann' }
    const { headers } = await ask(`${baseUrl}/api/auth/signup`, account)
    const [cookie = ''] = headers.getSetCookie()
    return { authorization: `Bearer ${cookie.split(';')[0]?.split('=')[1]}` }
  },
}

const ask = (url: string, body: object) =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

const all: readonly Route[] = Object.values(routes)

describe('a limit of calls', () => {
  it('is tested here for every route that has one and takes a body', () => {
    const limited = all.filter((route) => route.limited && (route.body ?? route.rawBody))
    expect(limited.map(({ path }) => path).toSorted()).toEqual(cases.map(({ path }) => path).toSorted())
  })

  it.each(cases)('counts bodies that are refused, and is asked before one is read: $path', async (one) => {
    const { path, calls, env, as } = one
    using folder = temporaryFolder()
    await using service = await startService({
      env: { ...env, DATA_DIR: folder.path, MEMORY_DIR: folder.in('memory') },
    })
    using raw = rawSender(service.baseUrl)
    const headers = as === undefined ? {} : await credentials[as](service.baseUrl)
    for (let n = 0; n < calls; n++) {
      const { body, status, headers: more } = refused[n % refused.length] as Refused
      const answer = await raw.send({ method: 'POST', path, body, headers: { ...headers, ...more } })
      expect([n, answer.status]).toEqual([n, status])
    }

    const sent = request(`${service.baseUrl}${path}`, {
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
