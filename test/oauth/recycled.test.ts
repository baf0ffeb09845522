import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { linkedAccounts } from '../../lib/oauth/rows.ts'
import { PROVIDERS } from '../../lib/oauth/schema.ts'
import { openSite, type Site } from './site.ts'

const REFUSED = { status: 302, location: '/login?error=account_exists', cookie: null }

/** The address of the first person, given to somebody else later. */
const giveAway = ({ provider }: Site) =>
  Object.assign(provider.person, { id: 777, name: 'Eve', email: 'ANN@Example.com' })

describe('an address that a provider gave to another person', () => {
  let site: Site
  beforeEach(async () => {
    site = await openSite()
  })
  afterEach(() => site[Symbol.asyncDispose]())

  const ann = async () => {
    const browser = site.browser()
    await browser.signIn('oidc')
    return browser
  }
  const changeLink = async (userId: string, change: object) => {
    const { store } = site.domains
    const { rows } = await store.page(linkedAccounts, { index: 'ofUser', is: userId, order: 'asc', limit: 1 })
    await store.commit({ update: linkedAccounts, key: rows[0]?.id ?? '', ...change })
  }

  it.each(PROVIDERS)('does not open the account of whom %s knew by it', async (name) => {
    const before = { ...site.provider.person }
    const first = site.browser()
    await first.signIn(name)
    const user = await first.me()
    giveAway(site)
    const other = site.browser()
    expect(await other.signIn(name)).toMatchObject(REFUSED)
    // What was refused has left nothing that would let her in now.
    expect(await other.signIn(name)).toMatchObject(REFUSED)
    expect(await other.me()).toBeUndefined()
    Object.assign(site.provider.person, before)
    const again = site.browser()
    await again.signIn(name)
    expect((await again.me()).id).toBe(user.id)
  })

  it('does not open it in mode oidc, and the attempt is on record', async () => {
    await using only = await openSite({ env: { AUTH_MODE: 'oidc' } })
    await only.browser().signIn('oidc')
    giveAway(only)
    expect(await only.browser().signIn('oidc')).toMatchObject(REFUSED)
    const { records } = await only.domains.audit.list({ limit: 9, action: 'auth.refused' })
    expect(records).toMatchObject([{ details: { with: 'oidc', reason: 'account_exists' } }])
    const { users } = await only.domains.accounts.list({ limit: 9 })
    expect(users).toHaveLength(1)
  })

  it('tells single-page clients so', async () => {
    await site.browser().signIn('codehost')
    giveAway(site)
    const browser = site.browser()
    const { url, state } = (await browser.ask('/api/auth/codehost/url')).body
    const code = (await site.provider.agree(url)).searchParams.get('code')
    expect(await browser.post('/api/auth/codehost/token', { code, state })).toMatchObject({
      status: 403,
      cookie: null,
      body: { code: 'account_exists', error: expect.stringContaining('another account of this provider') },
    })
  })

  it('is its holder’s after a change of the issuer, where subjects are others', async () => {
    const { id } = await (await ann()).me()
    await changeLink(id, { set: { realm: 'https://issuer.before.example' } })
    giveAway(site)
    const browser = site.browser()
    expect(await browser.signIn('oidc')).toMatchObject({ location: '/' })
    expect((await browser.me()).id).toBe(id)
  })

  it('may be linked by who is signed in to that account', async () => {
    const browser = await ann()
    giveAway(site)
    expect(await browser.signIn('oidc')).toMatchObject({ location: '/', cookie: null })
    const elsewhere = site.browser()
    await elsewhere.signIn('oidc')
    expect((await elsewhere.me()).id).toBe((await browser.me()).id)
  })
})

describe('an account elsewhere that a sign-in attached', () => {
  it('is on record once, under whose it is', async () => {
    await using site = await openSite()
    const browser = site.browser()
    await browser.signIn('oidc')
    const { id: userId } = await browser.me()
    await site.browser().signIn('oidc')
    await site.browser().signIn('trackera')
    const { records } = await site.domains.audit.list({ limit: 9, action: 'account.link' })
    expect(records.map((record) => ({ userId: record.userId, details: record.details }))).toEqual([
      { userId, details: { provider: 'trackera', username: 'Ann', subject: 'a:583231', at: 'sign-in' } },
      { userId, details: { provider: 'oidc', subject: 'oidc|583231', at: 'sign-in' } },
    ])
  })
})
