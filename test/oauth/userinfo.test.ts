import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { openSite, type Site } from './site.ts'

const ANN = 'ann@example.com'
const INFO = 'info@example.com'

describe('the address of who comes from an issuer', () => {
  let site: Site
  beforeEach(async () => {
    site = await openSite({ env: { AUTH_MODE: 'oidc' } })
  })
  afterEach(() => site[Symbol.asyncDispose]())

  const signIn = async (idToken: Readonly<Record<string, unknown>>, userinfo: object) => {
    site.provider.issuer.lie(idToken)
    site.provider.state.userinfo = userinfo
    const browser = site.browser()
    return { location: (await browser.signIn('oidc')).location, email: (await browser.me())?.email }
  }

  it.each([
    ['both answers have, and userinfo alone calls verified', { email: ANN, email_verified: true }, ANN],
    ['both have in different case', { email: 'ANN@Example.com', email_verified: true }, 'ANN@Example.com'],
    ['userinfo calls verified in a text', { email: ANN, email_verified: 'true' }, ANN],
    ['userinfo has another of, which is verified', { email: INFO, email_verified: true }, INFO],
  ])('is the one that %s', async (_what, userinfo, email) => {
    expect(await signIn({ email_verified: undefined }, userinfo)).toEqual({ location: '/', email })
    expect(await signIn({ email_verified: null }, userinfo)).toEqual({ location: '/', email })
  })

  it.each([
    ['no answer calls verified', { email_verified: undefined }, { email: ANN }],
    ['userinfo calls not verified', { email_verified: undefined }, { email: ANN, email_verified: false }],
    [
      'userinfo calls not verified in a text',
      { email_verified: undefined },
      { email: ANN, email_verified: 'false' },
    ],
    ['userinfo calls verified without naming it', { email_verified: undefined }, { email_verified: true }],
    [
      'the ID token calls verified without naming it',
      { email: undefined, email_verified: true },
      { email: INFO },
    ],
    ['userinfo says nothing of', { email_verified: undefined }, {}],
  ])('opens nothing that %s', async (_what, idToken, userinfo) => {
    expect(await signIn(idToken, userinfo)).toEqual({
      location: '/login?error=email_not_verified',
      email: undefined,
    })
  })

  it.each([
    [true, '/'],
    [false, '/login?error=email_not_verified'],
  ])('is not asked for where the ID token says all: verified %s', async (email_verified, location) => {
    const userinfo = { email: INFO, email_verified: true }
    expect((await signIn({ email_verified }, userinfo)).location).toBe(location)
    expect(site.provider.state.userinfoCalls).toBe(0)
  })
})

describe('userinfo that is of another person', () => {
  it('does not sign in a known person either', async () => {
    await using site = await openSite({ env: { AUTH_MODE: 'oidc' } })
    await site.browser().signIn('oidc')
    site.provider.issuer.lie({ email_verified: undefined })
    site.provider.state.userinfo = { sub: 'oidc|somebody-else' }
    expect(await site.browser().signIn('oidc')).toMatchObject({
      location: '/login?error=oauth_failed',
      cookie: null,
    })
  })

  it('does not sign in where the ID token has the address', async () => {
    await using site = await openSite({ env: { AUTH_MODE: 'oidc' } })
    site.provider.issuer.lie({ email_verified: undefined })
    site.provider.state.userinfo = { sub: 'oidc|somebody-else', email: ANN, email_verified: true }
    expect(await site.browser().signIn('oidc')).toMatchObject({
      location: '/login?error=oauth_failed',
      cookie: null,
    })
  })
})

describe('userinfo that is unavailable', () => {
  const FAULTS = ['status 500', 'html', 'redirect', 'huge', 'reset', 'client refused'] as const

  it.each(FAULTS)('by %s admits known persons, and no new ones', async (fault) => {
    await using site = await openSite({ env: { AUTH_MODE: 'oidc' } })
    const { issuer, state, person } = site.provider
    const ann = site.browser()
    await ann.signIn('oidc')
    issuer.lie({ email_verified: undefined })
    state.userinfoFault = fault
    const again = site.browser()
    expect((await again.signIn('oidc')).location).toBe('/')
    expect(await again.me()).toEqual(await ann.me())
    Object.assign(person, { id: 2, email: 'bob@example.com' })
    expect(await site.browser().signIn('oidc')).toMatchObject({
      location: '/login?error=email_not_verified',
      cookie: null,
    })
    expect(state.userinfoCalls).toBe(2)
    const said = site.log.entries.filter(({ message }) => message.startsWith('userinfo is unavailable'))
    expect(said.map(({ fields }) => fields)).toEqual([
      { provider: 'oidc', reason: expect.stringMatching(/^[A-Za-z_]+$/) },
      { provider: 'oidc', reason: expect.stringMatching(/^[A-Za-z_]+$/) },
    ])
  })

  it('in time does so too', async () => {
    await using site = await openSite({ env: { AUTH_MODE: 'oidc' }, providerTimeoutMs: 2_000 })
    await site.browser().signIn('oidc')
    site.provider.issuer.lie({ email_verified: undefined })
    site.provider.state.userinfoFault = 'hang'
    expect((await site.browser().signIn('oidc')).location).toBe('/')
  })
})
