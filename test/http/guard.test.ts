import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { openGuard } from '../../lib/http/guard.ts'
import { toTrustedProxies } from '../../lib/http/trusted-proxies.ts'
import { httpEvent } from '../fakes/http-event.ts'
import { serve } from './serve.ts'
import { wordHandlers, wordRoutes } from './table.ts'

let service: Awaited<ReturnType<typeof serve>>
let host: string
beforeAll(async () => {
  service = await serve(wordRoutes, wordHandlers)
  host = new URL(service.url).host
})
afterAll(() => service.close())

const add = (headers: Readonly<Record<string, string>>) =>
  service.send({ method: 'POST', path: '/api/words', headers, body: '{"word":"one"}' })

describe('the guard of a local installation', () => {
  it.each([['evil.example'], ['127.0.0.1.evil.example'], ['localhost.evil.example:3000'], ['10.0.0.1']])(
    'refuses the Host %j, on public routes too',
    async (name) => {
      for (const path of ['/api/words/one', '/api/words/health']) {
        const answer = await service.send({ path, headers: { host: name } })
        expect([answer.status, answer.json]).toEqual([
          403,
          expect.objectContaining({ code: 'host_not_allowed' }),
        ])
      }
    },
  )

  it.each([['localhost'], ['LOCALHOST:3000'], ['127.0.0.1'], ['127.1.2.3:80'], ['[::1]:3000']])(
    'answers the Host %s',
    async (name) => {
      expect((await service.send({ path: '/api/words/one', headers: { host: name } })).status).toBe(200)
    },
  )

  it.each([
    ['x-forwarded-for'],
    ['x-forwarded-host'],
    ['x-forwarded-proto'],
    ['x-forwarded-port'],
    ['x-forwarded-server'],
    ['x-forwarded-scheme'],
    ['x-forwarded-ssl'],
    ['x-forwarded-client-cert'],
    ['x-forwarded'],
    ['forwarded'],
    ['x-real-ip'],
    ['via'],
    ['cf-connecting-ip'],
    ['true-client-ip'],
    ['x-client-ip'],
    ['fly-client-ip'],
    ['fastly-client-ip'],
    ['cdn-loop'],
    ['x-envoy-external-address'],
    ['x-original-forwarded-for'],
    ['x-original-host'],
    ['x-cluster-client-ip'],
    ['x-azure-clientip'],
    ['x-proxy-user-ip'],
    ['x-amzn-trace-id'],
    ['cf-ray'],
  ])(
    'refuses what comes through a proxy that is not configured, as %s says, on public routes too',
    async (name) => {
      for (const path of ['/api/words/one', '/api/words/health']) {
        const answer = await service.send({ path, headers: { host: 'localhost', [name]: '127.0.0.1' } })
        expect([answer.status, answer.json]).toEqual([
          403,
          expect.objectContaining({ code: 'host_not_allowed' }),
        ])
      }
    },
  )

  it('refuses a write from a page of another site that comes with a password of the browser', async () => {
    const answer = await add({ origin: 'https://evil.example', authorization: 'Basic YTpi' })
    expect([answer.status, answer.json]).toEqual([403, expect.objectContaining({ code: 'foreign_origin' })])
    expect((await add({ authorization: 'Basic YTpi' })).status).toBe(201)
  })

  it.each([['https://evil.example'], ['null'], ['http://localhost'], ['http://127.0.0.1:1'], ['https']])(
    'refuses a write from a page of %s',
    async (given) => {
      const origin = given === 'https' ? `https://${host}` : given
      const answer = await add({ origin })
      expect(answer.status).toBe(403)
      expect(answer.json).toMatchObject({ code: 'foreign_origin' })
    },
  )

  it('takes a write from its own page, and from no page', async () => {
    expect((await add({ origin: `http://${host}` })).status).toBe(201)
    expect((await add({})).status).toBe(201)
  })

  it('refuses a Bearer token, since none was ever issued, on public routes too', async () => {
    const headers = { authorization: 'Bearer abc' }
    for (const path of ['/api/words/one', '/api/words/health']) {
      const answer = await service.send({ path, headers })
      expect(answer.status).toBe(401)
      expect(answer.json).toMatchObject({ code: 'invalid_token' })
      expect(answer.headers['www-authenticate']).toBe('Bearer error="invalid_token"')
    }
  })
})

describe('a request target in absolute form', () => {
  const one = '/api/words/one'
  const sendTo = (path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') =>
    service.send({ method, path, headers, ...(method === 'POST' && { body: '{"word":"one"}' }) })

  it.each([
    [`http://localhost:3000${one}`],
    [`HTTP://LOCALHOST${one}`],
    [`https://127.0.0.1${one}?a=1`],
    [`http://[::1]:3000${one}`],
  ])('names the path and the host: %s', async (path) => {
    // The Host header counts for nothing beside it (RFC 9112, section 3.2.2).
    for (const host of ['localhost', 'evil.example']) expect((await sendTo(path, { host })).status).toBe(200)
  })

  it('has its query read, and its empty path as the root', async () => {
    expect((await sendTo(`http://localhost${one}?limit=7`)).json).toEqual({ word: 'one', limit: 7 })
    expect((await sendTo('http://localhost')).json).toMatchObject({ error: 'No such endpoint: GET /' })
  })

  it.each([
    [`http://evil.example${one}`],
    [`http://localhost.evil.example:3000${one}`],
    [`http://127.0.0.1.evil.example${one}`],
  ])('is refused where its host is not this machine, whatever the Host header says: %s', async (path) => {
    const answer = await sendTo(path, { host: 'localhost' })
    expect([answer.status, answer.json]).toEqual([403, expect.objectContaining({ code: 'host_not_allowed' })])
  })

  it.each([
    [`http://user@localhost${one}`],
    [`http://localhost@evil.example${one}`],
    [`http://${one}`],
    [`http:${one}`],
    [`http://localhost:port${one}`],
    [`http://local|host${one}`],
    [`http://localhost${one}#part`],
    [`ftp://localhost${one}`],
    ['localhost:3000'],
  ])('is refused where it is no URL of a host: %s', async (path) => {
    const answer = await sendTo(path)
    expect([answer.status, answer.json]).toEqual([
      400,
      expect.objectContaining({ code: 'malformed_request' }),
    ])
  })

  it('is what the origin of a page is compared with', async () => {
    const headers = { 'content-type': 'application/json', host: 'localhost:1' }
    const post = (origin: string) => sendTo('http://localhost:2/api/words', { ...headers, origin }, 'POST')
    expect((await post('http://localhost:2')).status).toBe(201)
    expect((await post('http://localhost:1')).json).toMatchObject({ code: 'foreign_origin' })
  })
})

describe('the settings of a guard', () => {
  it.each([
    ['GET', 'signed in', ['refresh']],
    ['HEAD', 'signed in', ['refresh']],
    ['POST', 'signed in', ['latest']],
    ['PATCH', 'signed in', ['latest']],
    ['DELETE', 'signed in', ['latest']],
    ['GET', 'open', ['refresh', 'latest']],
    ['POST', 'open', ['latest']],
  ])('are read for a %s request of an installation that is %s: %j', async (method, mode, expected) => {
    const read: string[] = []
    const identity = {
      isOpen: () => mode === 'open',
      ofSession: async () => undefined,
      ofToken: async () => undefined,
    }
    const settings = {
      refresh: async () => void read.push('refresh'),
      latest: async () => void read.push('latest'),
    }
    const guard = openGuard({ identity, settings }, toTrustedProxies({ TRUST_PROXY: 0 }))
    await guard('public', httpEvent(`${method} /api/words`))
    expect(read).toEqual(expected)
  })
})
