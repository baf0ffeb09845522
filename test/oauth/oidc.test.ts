import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { createOidcProvider } from '../../lib/oauth/oidc-provider.ts'
import { createFakeClock } from '../fakes/clock.ts'
import { createFakeLog } from '../fakes/log.ts'
import { openSite, type Site } from './site.ts'

const FAILED = { location: '/login?error=oauth_failed', cookie: null }
const now = () => Math.floor(Date.now() / 1_000)

describe('an ID token', () => {
  let site: Site
  beforeEach(async () => {
    site = await openSite({ env: { AUTH_MODE: 'oidc' } })
  })
  afterEach(() => site[Symbol.asyncDispose]())

  it.each([
    ['another nonce', () => ({ nonce: 'another' })],
    ['no nonce', () => ({ nonce: undefined })],
    ['another audience', () => ({ aud: 'another-client' })],
    ['several audiences and another party', () => ({ aud: ['the-client', 'b'], azp: 'b' })],
    ['another issuer', () => ({ iss: 'https://evil.example' })],
    ['a time that is over', () => ({ exp: now() - 60 })],
    ['a time that is to come', () => ({ nbf: now() + 120 })],
    ['no time', () => ({ exp: undefined })],
    ['no subject', () => ({ sub: undefined })],
    ['an empty subject', () => ({ sub: '' })],
    ['a subject of spaces', () => ({ sub: '  ' })],
  ])('with %s signs nobody in', async (_what, claims) => {
    site.provider.issuer.lie(claims())
    expect(await site.browser().signIn('oidc')).toMatchObject(FAILED)
  })

  it.each(['none', 'HS256'])('of algorithm %s does not sign in', async (algorithm) => {
    site.provider.issuer.signWith(algorithm)
    expect(await site.browser().signIn('oidc')).toMatchObject(FAILED)
  })

  it('whose signature was made with a key that the issuer does not publish does not sign in', async () => {
    site.provider.issuer.rotate({ publish: false })
    expect(await site.browser().signIn('oidc')).toMatchObject(FAILED)
  })

  it('signed with a new key signs in at once: keys are not kept', async () => {
    expect((await site.browser().signIn('oidc')).location).toBe('/')
    site.provider.issuer.rotate()
    expect((await site.browser().signIn('oidc')).location).toBe('/')
  })

  it('whose email address is not verified makes no account', async () => {
    site.provider.person.verified = false
    const { location, cookie } = await site.browser().signIn('oidc')
    expect({ location, cookie }).toEqual({ location: '/login?error=email_not_verified', cookie: null })
  })
})

describe('an issuer', () => {
  it('that says it is another is not believed', async () => {
    await using site = await openSite()
    const { OIDC_ISSUER } = site.provider.env()
    await using other = await openSite({
      env: { AUTH_MODE: 'oidc', OIDC_ISSUER: OIDC_ISSUER?.replace('127.0.0.1', 'localhost') ?? '' },
      provider: site.provider,
    })
    expect(await other.browser().ask('/api/auth/oidc')).toMatchObject({
      status: 503,
      body: { code: 'oauth_failed' },
    })
  })

  it('that another issuer’s answer names is refused (RFC 9207)', async () => {
    await using site = await openSite()
    const browser = site.browser()
    const back = await browser.comeBack('oidc')
    expect(await browser.ask(`${back}&iss=https%3A%2F%2Fevil.example`)).toMatchObject(FAILED)
  })

  it('that does not know the code tells the person to begin again', async () => {
    await using site = await openSite({ env: { AUTH_MODE: 'oidc' } })
    const browser = site.browser()
    const back = (await browser.comeBack('oidc')).replace(/code=[^&]+/, 'code=unknown')
    expect(await browser.ask(back)).toMatchObject({ location: '/login?error=invalid_code', cookie: null })
  })

  it('known by https is spoken to by nothing less, whatever it says of itself', async () => {
    const asked: string[] = []
    const issuer = 'https://issuer.example'
    const fetch = async (url: string) => {
      asked.push(url)
      const [authorization_endpoint, token_endpoint] = [`${issuer}/authorize`, 'http://issuer.example/token']
      return Response.json({ issuer, authorization_endpoint, token_endpoint })
    }
    const oidc = createOidcProvider({
      settings: { issuer, clientId: 'a' },
      fetch,
      clock: createFakeClock(),
      log: createFakeLog(),
    })
    const departure = {
      redirectUri: 'https://here.example',
      state: 's',
      verifier: 'v'.repeat(43),
      nonce: 'n',
    }
    await expect(oidc.exchange({ ...departure, code: 'c' })).rejects.toMatchObject({ code: 'oauth_failed' })
    expect(asked).toEqual([`${issuer}/.well-known/openid-configuration`])
  })

  it('whose discovery failed is asked again', async () => {
    await using site = await openSite({ env: { AUTH_MODE: 'oidc' } })
    site.provider.state.fault = 'status 500'
    expect((await site.browser().ask('/api/auth/oidc')).status).toBe(503)
    site.provider.state.fault = 'none'
    expect((await site.browser().signIn('oidc')).location).toBe('/')
  })

  it('is discovered once an hour', async () => {
    await using site = await openSite({ env: { AUTH_MODE: 'oidc' } })
    const discoveries = () => site.provider.state.discoveries
    await Promise.all(Array.from({ length: 5 }, () => site.browser().ask('/api/auth/oidc')))
    expect(discoveries()).toBe(1)
    site.clock.advance(3_600_001)
    await site.browser().ask('/api/auth/oidc')
    expect(discoveries()).toBe(2)
  })
})
