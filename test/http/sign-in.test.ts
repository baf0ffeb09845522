import { describe, expect, it } from '@jest/globals'
import { Problem } from '../../lib/core/errors.ts'
import { ANONYMOUS, LOCAL_ADMIN } from '../../lib/core/principal.ts'
import { createGuard } from '../../lib/http/guard.ts'
import type { Access } from '../../lib/http/route.ts'
import type { TrustedProxies } from '../../lib/http/trusted-proxies.ts'
import { eventFrom } from '../fakes/http-event.ts'

const ann = { userId: 'user_ann', role: 'user' as const, sessionId: 'ann' }
const root = { userId: 'user_root', role: 'admin' as const, sessionId: 'root' }
const machine = { userId: 'user_ann', role: 'user' as const, tokenId: 'tok_1' }

const openGuard = (
  isOpen: boolean,
  proxies: TrustedProxies = { trustedHops: 0, publicUrl: 'https://tasks.example' },
) =>
  createGuard({
    proxies,
    identity: {
      isOpen: () => isOpen,
      ofSession: async (token) => ({ ann, root })[token as 'ann'],
      ofToken: async (token, scope) => {
        if (token !== 'svc_machine') return undefined
        if (scope === 'webhooks') throw new Problem('forbidden', 'scope_missing', 'not for this')
        return machine
      },
    },
  })
const closed = openGuard(false)

type Headers = Record<string, string>
const requestEvent = (headers: Headers, method = 'GET') =>
  eventFrom('10.0.0.9', { host: 'tasks.example', ...headers }, method)

/** Who passes, or the code of the refusal. */
const ask = async (access: Access, headers: Headers, { guard = closed, method = 'GET' } = {}) => {
  try {
    return await guard(access, requestEvent(headers, method))
  } catch (thrown) {
    return (thrown as Problem).code
  }
}

const nothing = {}
const asAnn = { cookie: 'svc_session=ann' }
const asRoot = { authorization: 'Bearer root' }
const basic = { authorization: 'Basic YTpi' }
const stale = { cookie: 'svc_session=gone' }
const several = (...tokens: string[]) => ({
  cookie: tokens.map((token) => `svc_session=${token}`).join('; '),
})
const asMachine = { authorization: 'Bearer svc_machine' }
const asUnknown = { authorization: 'Bearer gone' }

describe('the guard where people sign in', () => {
  it.each<[Access, Headers, unknown]>([
    ['public', nothing, ANONYMOUS],
    ['public', stale, ANONYMOUS],
    ['public', asAnn, ANONYMOUS],
    ['optional', nothing, ANONYMOUS],
    ['optional', stale, ANONYMOUS],
    ['optional', asAnn, ann],
    ['session', nothing, 'not_signed_in'],
    ['session', stale, 'invalid_token'],
    ['session', asAnn, ann],
    ['session', asRoot, root],
    // A stale one of a parent domain or a closer path locks nobody out.
    ['session', several('gone', 'ann'), ann],
    ['session', several('gone', '', 'old', 'ann', 'root'), ann],
    ['session', several('gone', 'gone', 'gone', 'gone', 'ann'), 'invalid_token'],
    ['session', several('ann', 'root'), ann],
    ['admin', several('gone', 'root'), root],
    ['optional', several('gone', 'ann'), ann],
    ['any', several('gone', 'ann'), ann],
    ['public', several('gone', 'ann'), ANONYMOUS],
    ['session', asMachine, 'invalid_token'],
    ['session', basic, 'not_signed_in'],
    ['session', { ...basic, ...asAnn }, ann],
    ['session', { authorization: 'Bearer', ...asAnn }, 'invalid_token'],
    ['optional', basic, ANONYMOUS],
    // A Bearer token that is nobody's is refused wherever it comes, but where its caller wants no more than to be gone.
    ['public', asUnknown, 'invalid_token'],
    ['public', { authorization: 'Bearer' }, 'invalid_token'],
    ['optional', asUnknown, 'invalid_token'],
    ['optional', { ...asUnknown, ...asAnn }, 'invalid_token'],
    ['any', asUnknown, ANONYMOUS],
    ['any', { ...asUnknown, ...asAnn }, ANONYMOUS],
    ['gateway', asUnknown, 'invalid_token'],
    ['public', asRoot, ANONYMOUS],
    ['public', asMachine, ANONYMOUS],
    ['optional', asRoot, root],
    ['optional', asMachine, ANONYMOUS],
    ['any', nothing, ANONYMOUS],
    ['any', stale, ANONYMOUS],
    ['any', asAnn, ann],
    ['any', asRoot, root],
    ['any', asMachine, ANONYMOUS],
    ['gateway', basic, 'token_required'],
    ['admin', nothing, 'not_signed_in'],
    ['admin', asAnn, 'admin_only'],
    ['admin', asRoot, root],
    ['gateway', nothing, 'token_required'],
    ['gateway', asAnn, 'token_required'],
    ['gateway', asRoot, 'invalid_token'],
    ['gateway', asMachine, machine],
    ['webhooks', asMachine, 'scope_missing'],
  ])('lets who comes to a route for %s with %j be %j', async (access, headers, who) => {
    expect(await ask(access, headers)).toEqual(who)
  })

  it.each([
    ['https://evil.example', asAnn, 'foreign_origin'],
    ['https://evil.example', nothing, 'foreign_origin'],
    ['null', asAnn, 'foreign_origin'],
    // Browsers attach it by themselves, as they do the cookie.
    ['https://evil.example', { ...basic, ...asAnn }, 'foreign_origin'],
    ['https://evil.example', { authorization: 'Bearer', ...asAnn }, 'invalid_token'],
    ['https://tasks.example', { ...basic, ...asAnn }, ann],
    ['https://tasks.example.evil', asAnn, 'foreign_origin'],
    // A page cannot set this header by itself, and whoever knows the token needs no cookie.
    ['https://evil.example', asRoot, root],
    ['https://tasks.example', asAnn, ann],
    ['https://tasks.example:443', asAnn, ann],
    // Whoever sits on the way may write pages of the same host without TLS, or on another port of it.
    ['http://tasks.example', asAnn, 'foreign_origin'],
    ['https://tasks.example:8443', asAnn, 'foreign_origin'],
    ['http://inside:3000', asAnn, 'foreign_origin'],
    ['https://', asAnn, 'foreign_origin'],
  ])('takes an unsafe request of a page of %s with %j as %j', async (origin, headers, who) => {
    expect(await ask('session', { origin, ...headers }, { method: 'POST' })).toEqual(who)
  })

  it('refuses to sign a browser in for a page of another site', async () => {
    const headers = { origin: 'https://evil.example' }
    expect(await ask('public', headers, { method: 'POST' })).toBe('foreign_origin')
    expect(await ask('public', headers)).toEqual(ANONYMOUS)
  })

  it.each<[Access, Headers, unknown]>([
    ['public', asUnknown, 'invalid_token'],
    ['optional', asUnknown, 'invalid_token'],
    ['any', asUnknown, 'foreign_origin'],
    ['any', { authorization: 'Bearer', ...asAnn }, 'foreign_origin'],
    ['public', asRoot, ANONYMOUS],
    ['public', asMachine, ANONYMOUS],
    ['any', asRoot, root],
  ])(
    'lets no page of another site pass a route for %s by an unknown Bearer token: %j',
    async (access, headers, who) => {
      const origin = 'https://evil.example'
      expect(await ask(access, { origin, ...headers }, { method: 'POST' })).toEqual(who)
    },
  )

  it('takes its public address for its own, whatever Host the proxy sends', async () => {
    const headers = { host: 'inside:3000', origin: 'https://tasks.example', ...asAnn }
    expect(await ask('session', headers, { method: 'POST' })).toEqual(ann)
  })
})

describe('a body under a type that forms send', () => {
  const forms = [
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'text/plain',
    'Text/Plain ; charset=utf-8',
    'text/plain, application/json',
  ]
  const form = (type: string, headers: Headers, body: string | undefined = '{"a":1}') => ({
    ...requestEvent({ ...headers, 'content-type': type }, 'POST'),
    body,
  })

  it.each(forms)('is refused behind a cookie, with what to send: %s', async (type) => {
    for (const access of ['session', 'optional', 'any'] as const)
      await expect(closed(access, form(type, asAnn))).rejects.toMatchObject({
        kind: 'invalid',
        code: 'content_type',
        message: expect.stringContaining('application/json'),
      })
  })

  it.each(forms)('is nothing to those who are let in by something else: %s', async (type) => {
    expect(await closed('session', form(type, asRoot))).toEqual(root)
    expect(await closed('gateway', form(type, asMachine))).toEqual(machine)
    expect(await closed('public', form(type, asAnn))).toEqual(ANONYMOUS)
    expect(await closed('optional', form(type, stale))).toEqual(ANONYMOUS)
    const here = { host: 'localhost', ...asAnn }
    expect(await openGuard(true)('session', form(type, here))).toEqual(LOCAL_ADMIN)
  })

  it.each([
    ['application/json; charset=utf-8', '{}'],
    ['application/vnd.api+json', '{}'],
    ['text/plainer', '{}'],
    ['', ''],
    ['text/plain', ''],
    ['text/plain', undefined],
  ])('is not what comes as %j with the body %j', async (type, body) => {
    expect(await closed('session', { ...form(type, asAnn), body: body ?? null })).toEqual(ann)
  })

  it('is one without a type, too', async () => {
    const untyped = { ...requestEvent(asAnn, 'POST'), body: '{}' }
    for (const event of [untyped, form('', asAnn)])
      await expect(closed('session', event)).rejects.toMatchObject({ code: 'content_type' })
  })
})

describe('the guard of a service without a public address', () => {
  const https = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'tasks.example' }
  it.each<[number, Headers, string, unknown]>([
    [0, {}, 'http://tasks.example', ann],
    [0, {}, 'https://tasks.example', 'foreign_origin'],
    [0, https, 'https://tasks.example', 'foreign_origin'],
    [1, https, 'https://tasks.example', ann],
    [1, https, 'http://tasks.example', 'foreign_origin'],
    [1, { ...https, host: 'inside:3000' }, 'https://tasks.example', ann],
    [1, { ...https, host: 'inside:3000' }, 'http://inside:3000', 'foreign_origin'],
    [0, { host: 'no host' }, 'http://no host', 'foreign_origin'],
  ])('behind %i proxies that say %j takes a page of %s as %j', async (trustedHops, headers, origin, who) => {
    const guard = openGuard(false, { trustedHops })
    expect(await ask('session', { ...asAnn, ...headers, origin }, { guard, method: 'POST' })).toEqual(who)
  })
})

describe('the guard where no sign-in is required', () => {
  const guard = openGuard(true)
  const here = { host: '127.0.0.1:3000' }

  it.each<[Access, Headers, unknown]>([
    ['session', here, LOCAL_ADMIN],
    ['admin', { ...here, ...stale }, LOCAL_ADMIN],
    ['session', { ...here, ...basic }, LOCAL_ADMIN],
    ['session', { ...here, ...asRoot }, root],
    ['session', { ...here, authorization: 'Bearer gone' }, 'invalid_token'],
    ['optional', here, LOCAL_ADMIN],
    ['gateway', here, 'token_required'],
    ['public', { ...here, ...asUnknown }, 'invalid_token'],
    ['any', { ...here, ...asUnknown }, ANONYMOUS],
    ['session', { host: 'tasks.example' }, 'host_not_allowed'],
    ['public', { host: 'tasks.example' }, 'host_not_allowed'],
  ])('lets who comes to a route for %s with %j be %j', async (access, headers, who) => {
    expect(await ask(access, headers, { guard })).toEqual(who)
  })
})
