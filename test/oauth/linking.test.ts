import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { linkedToken } from './linked-token.ts'
import { openSite, type Site } from './site.ts'

describe('linking an account', () => {
  let site: Site
  beforeEach(async () => {
    site = await openSite()
  })
  afterEach(() => site[Symbol.asyncDispose]())

  const signedUp = async (email: string) => {
    const browser = site.browser()
    await browser.signUp(email)
    return browser
  }

  it('gives it to the signed-in user, whatever address it has, and is in the audit', async () => {
    const browser = await signedUp('bob@example.com')
    const { id } = await browser.me()
    expect(await browser.signIn('codehost')).toMatchObject({ location: '/', cookie: null })
    expect(await browser.me()).toMatchObject({ id, connectedAccounts: ['codehost'], hasCodeHostToken: true })
    const { records } = await site.domains.audit.list({ limit: 10, action: 'account.link' })
    expect(records).toMatchObject([{ userId: id, details: { provider: 'codehost', username: 'ann' } }])
  })

  it('opens a way to sign in to that account from then on', async () => {
    const browser = await signedUp('bob@example.com')
    await browser.signIn('trackera')
    const elsewhere = site.browser()
    await elsewhere.signIn('trackera')
    expect((await elsewhere.me()).id).toBe((await browser.me()).id)
  })

  it('is refused when it is another user’s', async () => {
    const bob = await signedUp('bob@example.com')
    await bob.signIn('codehost')
    const eve = await signedUp('eve@example.com')
    expect(await eve.signIn('codehost')).toMatchObject({
      location: '/login?error=account_taken',
      cookie: null,
    })
    expect((await eve.me()).connectedAccounts).toEqual([])
    expect((await bob.me()).hasCodeHostToken).toBe(true)
    const { body } = await eve.ask('/api/auth/codehost/url')
    const code = (await site.provider.agree(body.url)).searchParams.get('code')
    const answer = await eve.post('/api/auth/codehost/token', { code, state: body.state })
    expect(answer).toMatchObject({ status: 400, body: { code: 'account_taken' } })
  })

  it('gives an account that ten users claim at once to one of them', async () => {
    const browsers = await Promise.all(
      ['a', 'b', 'c', 'd', 'e'].map((name) => signedUp(`${name}@example.com`)),
    )
    const answers = await Promise.all(browsers.map((browser) => browser.signIn('codehost')))
    expect(answers.filter(({ location }) => location === '/')).toHaveLength(1)
    const connected = await Promise.all(
      browsers.map(async (one) => (await one.me()).connectedAccounts.length),
    )
    expect(connected.sort()).toEqual([0, 0, 0, 0, 1])
  })

  it('ends where another user is signed in by then, or none', async () => {
    const changed = { location: '/login?error=session_changed', cookie: null }
    const browser = await signedUp('bob@example.com')
    const [back, again] = [await browser.comeBack('codehost'), await browser.comeBack('trackera')]
    browser.jar.delete('svc_session')
    await browser.signUp('eve@example.com')
    expect(await browser.ask(back)).toMatchObject(changed)
    browser.jar.delete('svc_session')
    expect(await browser.ask(again)).toMatchObject(changed)
    expect(site.provider.tokenCalls).toEqual([])
  })

  it('ends where the user has signed in anew by then', async () => {
    const browser = await signedUp('bob@example.com')
    const back = await browser.comeBack('codehost')
    browser.jar.delete('svc_session')
    await browser.post('/api/auth/login', { email: 'bob@example.com', password: 'correct horse 1' })
    expect(await browser.ask(back)).toMatchObject({ location: '/login?error=session_changed' })
  })

  it('keeps what trackers say of the place a person works in', async () => {
    const browser = await signedUp('bob@example.com')
    await browser.signIn('trackera')
    await browser.signIn('trackerb')
    const { id } = await browser.me()
    const { findConnection } = site.domains.oauth
    expect(await findConnection(id, 'trackera')).toEqual({
      provider: 'trackera',
      connected: true,
      username: 'Ann',
      avatarUrl: 'https://x.test/a',
      scopes: ['read:me', 'read:jira-work'],
      tokenExpiry: '2026-01-01T13:00:00.000Z',
      cloudId: 'cloud-1',
      siteName: 'ann-site',
    })
    expect(await findConnection(id, 'trackerb')).toMatchObject({
      scopes: ['read'],
      workspaceId: 'org-1',
      workspaceName: 'Ann & Co',
      teams: [{ id: 'team-1', name: 'Core', key: 'COR' }],
    })
    expect(await findConnection(id, 'codehost')).toBeUndefined()
  })

  it('takes the newest tokens, and forgets what is no longer so', async () => {
    const browser = await signedUp('bob@example.com')
    await browser.signIn('trackera')
    const { id } = await browser.me()
    const before = await linkedToken(site.domains, id, 'trackera')
    site.provider.state.sites = []
    site.provider.grants.life.expiresIn = undefined
    await browser.signIn('trackera')
    expect(await linkedToken(site.domains, id, 'trackera')).not.toBe(before)
    const connection = await site.domains.oauth.findConnection(id, 'trackera')
    expect(connection).not.toHaveProperty('cloudId')
    expect(connection).not.toHaveProperty('tokenExpiry')
  })
})

describe('unlinking an account', () => {
  it.each(['codehost', 'trackerb'] as const)('revokes the tokens of %s and forgets it', async (name) => {
    await using site = await openSite()
    const browser = site.browser()
    await browser.signIn(name)
    const { id } = await browser.me()
    const token = await linkedToken(site.domains, id, name)
    await site.domains.oauth.unlink(id, [name])
    expect(site.provider.revocations).toEqual([token])
    expect((await browser.me()).connectedAccounts).toEqual([])
    expect(await linkedToken(site.domains, id, name)).toBeUndefined()
    await site.domains.oauth.unlink(id, [name])
  })

  it('forgets it where the provider knows no revocation, or does not answer', async () => {
    await using site = await openSite()
    const browser = site.browser()
    await browser.signIn('trackera')
    await browser.signIn('codehost')
    const { id } = await browser.me()
    await site.domains.oauth.unlink(id, ['trackera'])
    await site.provider[Symbol.asyncDispose]()
    await site.domains.oauth.unlink(id, ['codehost'])
    expect((await browser.me()).connectedAccounts).toEqual([])
    expect(site.log.entries).toContainEqual(
      expect.objectContaining({ level: 'warn', message: 'tokens were not revoked at the provider' }),
    )
  })

  it('frees it for another user', async () => {
    await using site = await openSite()
    const [bob, eve] = [site.browser(), site.browser()]
    await bob.signUp('bob@example.com')
    await eve.signUp('eve@example.com')
    await bob.signIn('codehost')
    await site.domains.oauth.unlink((await bob.me()).id, ['codehost'])
    expect((await eve.signIn('codehost')).location).toBe('/')
    expect((await eve.me()).connectedAccounts).toEqual(['codehost'])
  })
})
