import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { PROVIDERS } from '../../lib/oauth/schema.ts'
import { linkedToken } from './linked-token.ts'
import { openSite, type Site } from './site.ts'

describe('signing in with a provider', () => {
  let site: Site
  beforeEach(async () => {
    site = await openSite()
  })
  afterEach(() => site[Symbol.asyncDispose]())

  it.each(PROVIDERS)('makes an account of whom %s vouches for, and finds it again', async (name) => {
    const browser = site.browser()
    const first = await browser.signIn(name)
    expect(first).toMatchObject({
      status: 302,
      location: '/',
      cookie: expect.stringMatching(/^svc_session=/),
    })
    const user = await browser.me()
    expect(user).toMatchObject({
      email: 'ann@example.com',
      name: 'Ann',
      connectedAccounts: [name],
      hasCodeHostToken: name === 'codehost',
    })
    site.provider.person.email = 'elsewhere@example.com'
    const again = site.browser()
    await again.signIn(name)
    expect((await again.me()).id).toBe(user.id)
  })

  it.each(PROVIDERS)('sends the browser to %s with state, PKCE and the exact redirect URI', async (name) => {
    const { status, location } = await site.browser().ask(`/api/auth/${name}`)
    expect(status).toBe(302)
    const { searchParams } = new URL(location ?? '')
    expect(Object.fromEntries(searchParams)).toMatchObject({
      response_type: 'code',
      client_id: 'the-client',
      redirect_uri: `${site.baseUrl}/api/auth/${name}/callback`,
      state: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    })
  })

  it('is the same person by two providers that vouch for one address', async () => {
    const [one, other] = [site.browser(), site.browser()]
    await one.signIn('codehost')
    await other.signIn('trackera')
    expect((await other.me()).id).toBe((await one.me()).id)
    expect((await one.me()).connectedAccounts).toEqual(['codehost', 'trackera'])
  })

  it('gives a single-page client an address, and a session for what came back', async () => {
    const browser = site.browser()
    const { body } = await browser.ask('/api/auth/codehost/url')
    expect(body).toEqual({ url: expect.stringContaining(`state=${body.state}`), state: expect.any(String) })
    const code = (await site.provider.agree(body.url)).searchParams.get('code')
    const answer = await browser.post('/api/auth/codehost/token', { code, state: body.state })
    expect(answer).toMatchObject({
      status: 200,
      body: { user: { email: 'ann@example.com' }, message: 'Signed in' },
    })
    expect((await browser.me()).email).toBe('ann@example.com')
  })

  it('sends the browser of a single-page client back to a page of its own, which gets the session', async () => {
    const browser = site.browser()
    site.provider.register(site.baseUrl, '/signed-in')
    const { body } = await browser.ask('/api/auth/codehost/url?redirectPath=/signed-in')
    const back = await site.provider.agree(body.url)
    expect(back.origin + back.pathname).toBe(`${site.baseUrl}/signed-in`)
    const code = back.searchParams.get('code')
    const answer = await browser.post('/api/auth/codehost/token', { code, state: body.state })
    expect(answer).toMatchObject({ status: 200, body: { message: 'Signed in' } })
    expect((await browser.me()).email).toBe('ann@example.com')
  })

  it.each([
    ...[
      '',
      'signed-in',
      '//evil.example',
      '/\\evil.example',
      '\\evil',
      '/a//b',
      '/../a',
      '/a/..',
      '/.',
      '/%2e%2e/a',
    ],
    ...['@evil.example', '.evil.example', ':80/', '/a?b', '/a#b', '/a\n', ' /a', `/${'x'.repeat(200)}`],
  ])('sends no browser to %j', async (redirectPath) => {
    const query = new URLSearchParams({ redirectPath })
    const answer = await site.browser().ask(`/api/auth/codehost/url?${query}`)
    expect(answer).toMatchObject({ status: 400, cookie: null })
  })

  it('never takes over a session that the browser had', async () => {
    const browser = site.browser()
    await browser.signIn('codehost')
    const before = browser.jar.get('svc_session')?.value
    browser.jar.delete('svc_session')
    await browser.signIn('codehost')
    expect(browser.jar.get('svc_session')?.value).not.toBe(before)
  })

  it('asks the issuer for the address where the ID token has none', async () => {
    site.provider.person.email = undefined
    const browser = site.browser()
    await browser.signIn('oidc')
    expect((await browser.me()).email).toBe('info@example.com')
  })

  it.each(['codehost', 'trackera', 'oidc'] as const)(
    'refuses an address that %s has not verified',
    async (name) => {
      site.provider.person.verified = false
      const { location, cookie } = await site.browser().signIn(name)
      expect({ location, cookie }).toEqual({ location: '/login?error=email_not_verified', cookie: null })
    },
  )
})

describe('the rules of registration', () => {
  it('hold for whom a provider vouches for: an invite code comes along', async () => {
    await using site = await openSite({ env: { REGISTRATION_MODE: 'invite' } })
    const admin = site.browser()
    await admin.signUp('admin@example.com')
    const without = await site.browser().signIn('codehost')
    expect(without.location).toBe('/login?error=invite_required')
    const { body } = await admin.post('/api/auth/invites', {})
    const invited = site.browser()
    expect((await invited.signIn('codehost', `?invite=${body.invite.code}`)).location).toBe('/')
    expect((await invited.me()).email).toBe('ann@example.com')
  })

  it('keep out the owner of the address of an account that has not proven it', async () => {
    await using site = await openSite()
    await site.browser().signUp('ann@example.com')
    expect((await site.browser().signIn('codehost')).location).toBe('/login?error=account_exists')
  })

  it('keep out a user who was disabled', async () => {
    await using site = await openSite()
    const admin = site.browser()
    await admin.signUp('admin@example.com')
    const browser = site.browser()
    await browser.signIn('codehost')
    const { id } = await browser.me()
    await admin.ask(`/api/users/${id}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: '{"disabled":true}',
    })
    expect((await site.browser().signIn('codehost')).location).toBe('/login?error=sign_in_refused')
  })
})

describe('a provider that is not there to sign in with', () => {
  it.each(PROVIDERS)('answers 501 when %s is not configured', async (name) => {
    await using site = await openSite({ configured: false })
    for (const path of [`/api/auth/${name}`, `/api/auth/${name}/callback?code=a&state=b`])
      expect(await site.browser().ask(path)).toMatchObject({
        status: 501,
        body: { code: 'oauth_not_configured' },
      })
  })

  it.each([
    ['codehost', 'CODEHOST_CLIENT_ID and CODEHOST_CLIENT_SECRET'],
    ['oidc', 'OIDC_ISSUER and OIDC_CLIENT_ID'],
  ])('is missed by the variables that %s needs', async (name, variables) => {
    await using site = await openSite({ configured: false })
    const { body } = await site.browser().ask(`/api/auth/${name}`)
    expect(body.error).toBe(`This provider is not configured. Set ${variables}`)
  })

  it('answers 501 when the way of signing in is another', async () => {
    await using site = await openSite({ env: { AUTH_MODE: 'oidc' } })
    expect(await site.browser().ask('/api/auth/codehost')).toMatchObject({
      status: 501,
      body: { code: 'sign_in_not_offered' },
    })
    const browser = site.browser()
    expect((await browser.signIn('oidc')).location).toBe('/')
    expect((await browser.signIn('codehost')).location).toBe('/')
    expect((await browser.me()).connectedAccounts).toEqual(['codehost', 'oidc'])
  })

  it.each([
    ['local', []],
    ['cloud', ['codehost', 'trackera', 'trackerb', 'oidc']],
    ['oidc', ['oidc']],
  ])('is told by `me` in mode %s, with and without a session, as the routes would', async (mode, signsIn) => {
    await using site = await openSite({ env: { AUTH_MODE: mode } })
    const { body } = await site.browser().ask('/api/auth/me')
    expect(body.providers).toEqual(PROVIDERS.map((name) => ({ name, signsIn: signsIn.includes(name) })))
    const browser = site.browser()
    if (mode !== 'local') await browser.signIn('oidc')
    const me = (await browser.ask('/api/auth/me')).body
    expect(me).toMatchObject({ authenticated: true, providers: body.providers })
  })

  it('is told by `me` with what it needs', async () => {
    await using site = await openSite({ configured: false })
    const { body } = await site.browser().ask('/api/auth/me')
    for (const { name, ...standing } of body.providers) {
      const { error: needs } = (await site.browser().ask(`/api/auth/${name}`)).body
      expect(standing).toEqual({ signsIn: false, needs })
    }
    expect(body.providers).toHaveLength(PROVIDERS.length)
  })

  it('in local mode links the code host to the local admin, and opens no session', async () => {
    await using site = await openSite({ env: { AUTH_MODE: 'local' } })
    const browser = site.browser()
    expect(await browser.signIn('codehost')).toMatchObject({ location: '/', cookie: null })
    expect(await browser.me()).toMatchObject({ id: 'local', hasCodeHostToken: true })
    expect(await linkedToken(site.domains, 'local', 'codehost')).toMatch(/^CANARY-access-/)
  })

  it('in local mode with a key asks for the key first', async () => {
    await using site = await openSite({ env: { AUTH_MODE: 'local', ACCESS_KEY: 'open sesame' } })
    const browser = site.browser()
    expect((await browser.ask('/api/auth/codehost')).status).toBe(401)
    await browser.post('/api/auth/verify-access-key', { key: 'open sesame' })
    expect((await browser.signIn('codehost')).location).toBe('/')
    expect((await browser.me()).connectedAccounts).toEqual(['codehost'])
  })
})
