import { describe, expect, it } from '@jest/globals'
import { readConfig } from '../../lib/config/config.ts'
import { readCookies, readCredential } from '../../lib/http/credential.ts'
import {
  clientAddress,
  plainAddress,
  requestOrigin,
  toTrustedProxies,
} from '../../lib/http/trusted-proxies.ts'
import { eventFrom, httpEvent } from '../fakes/http-event.ts'

const event = (headers: Record<string, string>, cookies?: string[]) => ({
  ...eventFrom('10.0.0.9', headers),
  ...(cookies ? { cookies } : {}),
})

describe('the address of a client', () => {
  it.each([
    [0, '1.1.1.1', '10.0.0.9'],
    [1, '6.6.6.6, 1.1.1.1', '1.1.1.1'],
    [2, '6.6.6.6, 1.1.1.1, 2.2.2.2', '1.1.1.1'],
    // Fewer hops than promised: the outermost that anybody vouches for.
    [2, '1.1.1.1', '1.1.1.1'],
    [3, '', '10.0.0.9'],
    [1, ' , 1.1.1.1 ,', '1.1.1.1'],
    [1, '6.6.6.6, [2001:db8::1]:443', '2001:db8::1'],
  ])('behind %i trusted proxies that forward %j is %s', (trustedHops, forwarded, address) => {
    expect(clientAddress(event({ 'x-forwarded-for': forwarded }), { trustedHops })).toBe(address)
  })

  it.each([
    ['the secret', { 'x-origin-secret': 'known' }, '1.1.1.1'],
    ['another', { 'x-origin-secret': 'guessed' }, '10.0.0.9'],
    ['none', {}, '10.0.0.9'],
  ])('is believed to be what proxies with a secret say when they show %s', (_name, headers, address) => {
    const proxies = { trustedHops: 2, originSecret: 'known' }
    const given = { 'x-forwarded-for': '1.1.1.1, 2.2.2.2', 'x-forwarded-host': 'evil.example', ...headers }
    expect(clientAddress(event(given), proxies)).toBe(address)
    expect(requestOrigin(event(given), proxies).baseUrl.includes('evil.example')).toBe(address === '1.1.1.1')
  })

  it('is the peer where no proxy forwarded anything', () => {
    expect(clientAddress(event({}), { trustedHops: 1 })).toBe('10.0.0.9')
  })
})

describe('an address', () => {
  it.each([
    ['1.2.3.4', '1.2.3.4'],
    ['1.2.3.4:5678', '1.2.3.4'],
    ['2001:db8::1', '2001:db8::1'],
    ['2001:DB8:0:0::1', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['[2001:db8::1]:443', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['[fe80::1%eth0]:80', 'fe80::1'],
    ['::ffff:1.2.3.4', '1.2.3.4'],
    ['::FFFF:1.2.3.4', '1.2.3.4'],
    ['::ffff:102:304', '1.2.3.4'],
    ['[::ffff:1.2.3.4]:443', '1.2.3.4'],
    ['::ffff:192.168.0.255', '192.168.0.255'],
    ['::1.2.3.4', '::102:304'],
    ['::1', '::1'],
    // Whatever a proxy puts there when it does not know, or does not say.
    ['unknown', 'unknown'],
    ['_hidden', '_hidden'],
    ['1:2:3', '1:2:3'],
    ['[', '['],
    ['%', ''],
    ['', ''],
  ])('that is written %j counts as %j', (text, address) => {
    expect(plainAddress(text)).toBe(address)
  })

  it('of a peer is written the same way', () => {
    expect(clientAddress(eventFrom('::ffff:127.0.0.1', {}), { trustedHops: 0 })).toBe('127.0.0.1')
  })
})

describe('the base URL of a request', () => {
  it.each([
    [1, 'https', 'a.example', 'https://a.example'],
    [1, 'http, https', 'evil.example, a.example', 'https://a.example'],
    [1, 'https, http', 'a.example', 'http://a.example'],
    [2, 'https, http', 'A.example, inside', 'https://a.example'],
    [2, 'http,https,http', 'evil.example,a.example,inside', 'https://a.example'],
    [2, 'https', 'a.example', 'https://a.example'],
    [2, ' , ', '', 'http://inside:3000'],
    [0, 'https', 'evil.example', 'http://inside:3000'],
  ])('behind %i trusted proxies that forward %j and %j is %s', (trustedHops, proto, name, baseUrl) => {
    const headers = { host: 'inside:3000', 'x-forwarded-proto': proto, 'x-forwarded-host': name }
    expect(requestOrigin(event(headers), { trustedHops }).baseUrl).toBe(baseUrl)
  })

  const headers = { host: 'inside:3000', 'x-forwarded-host': 'Example.org', 'x-forwarded-proto': 'https' }
  it.each([
    [{ trustedHops: 0 }, 'http://inside:3000', false],
    [{ trustedHops: 1 }, 'https://example.org', true],
    [{ trustedHops: 0, publicUrl: 'https://tasks.example' }, 'https://tasks.example', true],
  ])('for %j is %s', (proxies, baseUrl, isSecure) => {
    expect(requestOrigin(event(headers), proxies)).toMatchObject({ baseUrl, isSecure })
  })
})

describe('what a request says of who it comes from', () => {
  it.each([
    [{ authorization: 'Bearer abc.DEF-1_2~3+4/5==' }, 'abc.DEF-1_2~3+4/5=='],
    [{ authorization: 'bearer   abc  ' }, 'abc'],
    [{ authorization: 'BEARER abc' }, 'abc'],
    [{ authorization: 'Bearer' }, ''],
    [{ authorization: 'Bearer a b' }, ''],
    [{ authorization: 'Bearer ' }, ''],
    [{ authorization: 'Bearer\tabc' }, ''],
  ])('is the token of %j: %j', (headers, token) => {
    expect(readCredential(event(headers))).toEqual({ by: 'bearer', token })
  })

  it.each([
    ['svc_session=abc', 'abc'],
    ['a=1; svc_session=abc; b=2', 'abc'],
    ['svc_session=', ''],
    ['xsvc_session=abc', undefined],
    ['svc_session_x=abc', undefined],
  ])('is the cookie in %j: %j', (cookie, token) => {
    expect(readCookies(event({ cookie }), 'svc_session')).toEqual(token === undefined ? [] : [token])
  })

  it('is every cookie of that name, the one that was set for the closest path first, but no stranger’s list of them', () => {
    const several = event({ cookie: 'svc_session=near; a=1; svc_session=far' })
    expect(readCookies(several, 'svc_session')).toEqual(['near', 'far'])
    expect(readCredential(several)).toEqual({ by: 'cookie', tokens: ['near', 'far'] })
    const cookie = Array.from({ length: 50 }, (_, n) => `svc_session=${n}`).join('; ')
    expect(readCredential(event({ cookie }))).toEqual({ by: 'cookie', tokens: ['0', '1', '2', '3'] })
  })

  it('is the cookie that API Gateway lists beside the headers', () => {
    expect(readCredential(event({}, ['a=1', 'svc_session=abc']))).toEqual({ by: 'cookie', tokens: ['abc'] })
  })

  it.each([['Basic YTpi'], ['Negotiate abc'], ['Bearerabc'], ['']])(
    'is not what a browser attaches by itself: %j',
    (authorization) => {
      expect(readCredential(event({ authorization }))).toBeUndefined()
      expect(readCredential(event({ authorization, cookie: 'svc_session=y' }))).toEqual({
        by: 'cookie',
        tokens: ['y'],
      })
    },
  )

  it('is the Bearer token where there are both, and nothing where there is neither', () => {
    expect(readCredential(event({ authorization: 'Bearer x', cookie: 'svc_session=y' }))).toEqual({
      by: 'bearer',
      token: 'x',
    })
    expect(readCredential(event({}))).toBeUndefined()
  })
})

describe('the address that people know the service by', () => {
  it.each([
    ['HTTPS://Tasks.Example', 'https://tasks.example', true],
    ['https://tasks.example:443/', 'https://tasks.example', true],
    ['HTTP://tasks.example:8080/', 'http://tasks.example:8080', false],
  ])('is as browsers write it: %s', (PUBLIC_URL, baseUrl, isSecure) => {
    const proxies = toTrustedProxies(readConfig({ PUBLIC_URL }))
    expect(requestOrigin(httpEvent('GET /api/tasks'), proxies)).toMatchObject({ baseUrl, isSecure })
  })

  it('need not be said', () => {
    expect(toTrustedProxies(readConfig({}))).toEqual({ trustedHops: 0 })
  })
})
