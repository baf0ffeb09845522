import { describe, expect, it } from '@jest/globals'
import { cookieOf, credentialOf } from '../../lib/http/credential.ts'
import type { HttpEvent } from '../../lib/http/event.ts'
import { addressOf, originOf } from '../../lib/http/front.ts'

const event = (headers: Record<string, string>, cookies?: string[]): HttpEvent => ({
  version: '2.0',
  routeKey: '',
  rawPath: '/',
  rawQueryString: '',
  headers,
  ...(cookies ? { cookies } : {}),
  requestContext: { requestId: 'req_1', http: { method: 'GET', path: '/', sourceIp: '10.0.0.9' } },
  isBase64Encoded: false,
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
  ])('behind %i trusted proxies that forward %j is %s', (trustedHops, forwarded, address) => {
    expect(addressOf(event({ 'x-forwarded-for': forwarded }), { trustedHops })).toBe(address)
  })

  it('is the peer where nobody forwarded anything', () => {
    expect(addressOf(event({}), { trustedHops: 1 })).toBe('10.0.0.9')
  })
})

describe('the base URL of a request', () => {
  const headers = { host: 'inside:3000', 'x-forwarded-host': 'Example.org', 'x-forwarded-proto': 'https' }
  it.each([
    [{ trustedHops: 0 }, 'http://inside:3000', false],
    [{ trustedHops: 1 }, 'https://example.org', true],
    [{ trustedHops: 0, publicUrl: 'https://tasks.example' }, 'https://tasks.example', true],
  ])('for %j is %s', (front, baseUrl, isSecure) => {
    expect(originOf(event(headers), front)).toMatchObject({ baseUrl, isSecure })
  })
})

describe('what a request says of who it comes from', () => {
  it.each([
    [{ authorization: 'Bearer abc.DEF-1_2~3+4/5==' }, 'abc.DEF-1_2~3+4/5=='],
    [{ authorization: 'bearer   abc  ' }, 'abc'],
    [{ authorization: 'Basic YTpi' }, ''],
    [{ authorization: 'Bearer' }, ''],
    [{ authorization: 'Bearer a b' }, ''],
    [{ authorization: 'Bearer ' }, ''],
  ])('is the token of %j: %j', (headers, token) => {
    expect(credentialOf(event(headers))).toEqual({ by: 'bearer', token })
  })

  it.each([
    ['svc_session=abc', 'abc'],
    ['a=1; svc_session=abc; b=2', 'abc'],
    ['svc_session=', ''],
    ['xsvc_session=abc', undefined],
    ['svc_session_x=abc', undefined],
  ])('is the cookie in %j: %j', (cookie, token) => {
    expect(cookieOf(event({ cookie }), 'svc_session')).toBe(token)
  })

  it('is the cookie that API Gateway lists beside the headers', () => {
    expect(credentialOf(event({}, ['a=1', 'svc_session=abc']))).toEqual({ by: 'cookie', token: 'abc' })
  })

  it('is the header where there are both, and nothing where there is neither', () => {
    expect(credentialOf(event({ authorization: 'Bearer x', cookie: 'svc_session=y' }))).toEqual({
      by: 'bearer',
      token: 'x',
    })
    expect(credentialOf(event({}))).toBeUndefined()
  })
})
