import { describe, expect, it } from '@jest/globals'
import { LOCAL_ADMIN } from '../../lib/core/principal.ts'
import { linkedAccounts } from '../../lib/oauth/rows.ts'
import type { Browser } from '../oauth/browser.ts'
import { openSite, type Site } from '../oauth/site.ts'
import { ADMIN, createWorld } from './world.ts'

const REFUSED = { location: '/login?error=account_exists', cookie: null }
const KEY = 'a key of eighteen'

const patch = async (browser: Browser, id: string, body: object) => {
  const headers = { 'content-type': 'application/json' }
  const init = { method: 'PATCH', headers, body: JSON.stringify(body) }
  return browser.ask(`/api/users/${id}`, init)
}
const linkedAccountRows = async ({ domains }: Site, userId: string) => {
  const selection = { index: 'ofUser', is: userId, order: 'asc', limit: 9 } as const
  return (await domains.store.page(linkedAccounts, selection)).rows.map(({ provider }) => provider)
}
const unlinked = async ({ domains }: Site) =>
  (await domains.audit.list({ limit: 9, action: 'account.unlink' })).records.map(({ details }) => details)

/** A service with an admin, `ann`, and `bob`, who comes from the issuer and has a code host too. */
const opened = async () => {
  const site = await openSite()
  const ann = site.browser()
  await ann.signUp('ann@example.com')
  Object.assign(site.provider.person, { id: 2, name: 'Bob', email: 'bob@example.com' })
  const bob = site.browser()
  await bob.signIn('oidc')
  await bob.signIn('codehost')
  return { ...site, ann, bob, id: (await bob.me()).id as string }
}

describe('unlinking a user’s accounts by an admin', () => {
  it('lets who has another subject in by the verified address, once', async () => {
    await using site = await opened()
    const { ann, id, provider } = site
    provider.person.id = 777
    expect(await site.browser().signIn('oidc')).toMatchObject(REFUSED)
    expect(await patch(ann, id, { unlink: ['oidc'] })).toMatchObject({
      status: 200,
      body: { user: { id, role: 'user', disabled: false } },
    })
    expect(await linkedAccountRows(site, id)).toEqual(['codehost'])
    const again = site.browser()
    expect((await again.signIn('oidc')).location).toBe('/')
    expect((await again.me()).id).toBe(id)
    provider.person.id = 778
    expect(await site.browser().signIn('oidc')).toMatchObject(REFUSED)
  })

  it('takes the tokens away, here and at the provider, and is on record, each account by itself', async () => {
    await using site = await opened()
    const { ann, bob, id, provider } = site
    await patch(ann, id, { unlink: ['codehost', 'oidc', 'trackera'] })
    expect(await bob.me()).toMatchObject({ connectedAccounts: [], hasCodeHostToken: false })
    expect(provider.revocations).toHaveLength(1)
    const said = await unlinked(site)
    expect(said).toHaveLength(2)
    expect(said).toContainEqual({ userId: id, provider: 'oidc' })
    expect(said).toContainEqual({ userId: id, provider: 'codehost', username: 'bob' })
    expect((await site.domains.audit.list({ limit: 9, action: 'user.change' })).records).toEqual([])
  })

  it('leaves others’ accounts, and does nothing where there is nothing', async () => {
    await using site = await opened()
    const annId = (await site.ann.me()).id
    for (const unlink of [['oidc'], ['oidc'], ['trackera']])
      expect((await patch(site.ann, site.id, { unlink })).status).toBe(200)
    expect((await patch(site.ann, annId, { unlink: ['codehost'] })).status).toBe(200)
    expect(await linkedAccountRows(site, site.id)).toEqual(['codehost'])
    expect(await unlinked(site)).toHaveLength(1)
  })

  it('goes with a change of what the user may do, and not with one that is refused', async () => {
    await using site = await opened()
    const { ann, id } = site
    const both = await patch(ann, id, { role: 'admin', disabled: true, unlink: ['oidc'] })
    expect(both.body.user).toMatchObject({ role: 'admin', disabled: true })
    expect(await linkedAccountRows(site, id)).toEqual(['codehost'])
    const annId = (await ann.me()).id
    await ann.signIn('trackera')
    expect(await patch(ann, annId, { role: 'user', unlink: ['trackera'] })).toMatchObject({
      status: 400,
      body: { code: 'last_admin' },
    })
    expect(await linkedAccountRows(site, annId)).toEqual(['trackera'])
  })

  it.each([
    [[]],
    [['oidc', 'oidc']],
    [['github']],
    [['oidc', 'codehost', 'trackera', 'trackerb', 'oidc']],
    ['oidc'],
    [null],
  ])('is refused for %j', async (unlink) => {
    await using site = await opened()
    expect(await patch(site.ann, site.id, { unlink })).toMatchObject({
      status: 400,
      body: { code: 'validation_failed' },
    })
    expect(await linkedAccountRows(site, site.id)).toHaveLength(2)
  })

  it('is for admins, of users who are there', async () => {
    await using site = await opened()
    expect((await patch(site.bob, site.id, { unlink: ['oidc'] })).status).toBe(403)
    expect(await patch(site.ann, 'user_none', { unlink: ['oidc'] })).toMatchObject({
      status: 404,
      body: { code: 'user_not_found' },
    })
  })

  it('is the operator’s way back: in local mode with an access key', async () => {
    await using site = await openSite({ env: { AUTH_MODE: 'oidc' } })
    const browser = site.browser()
    await browser.signIn('oidc')
    const { id } = await browser.me()
    const { provider } = site
    provider.person.id = 777
    expect(await site.browser().signIn('oidc')).toMatchObject(REFUSED)
    const env = { AUTH_MODE: 'local', ACCESS_KEY: KEY }
    await using local = await openSite({ env, provider, after: site.domains })
    const operator = local.browser()
    expect((await patch(operator, id, { unlink: ['oidc'] })).status).toBe(401)
    expect((await operator.post('/api/auth/verify-access-key', { key: KEY })).status).toBe(200)
    expect((await operator.ask('/api/users')).body).toMatchObject({
      users: [{ id, role: 'admin' }],
      total: 1,
    })
    expect((await patch(operator, id, { unlink: ['oidc'] })).status).toBe(200)
    await using later = await openSite({ env: { AUTH_MODE: 'oidc' }, provider, after: site.domains })
    const again = later.browser()
    expect((await again.signIn('oidc')).location).toBe('/')
    expect(await again.me()).toMatchObject({ id, role: 'admin' })
  })
})

describe('the last admin whom the issuer lets in by a link alone', () => {
  /** Two admins whose addresses nobody verified; `ann` has linked an account at the issuer. */
  const inOidc = async () => {
    const site = await openSite({ env: { AUTH_MODE: '' } })
    const { settings, accounts } = site.domains
    const changeMode = (authMode: 'cloud' | 'oidc') => settings.change(LOCAL_ADMIN, { system: { authMode } })
    await changeMode('cloud')
    const [ann, bob] = [site.browser(), site.browser()]
    await ann.signUp('ann@example.com')
    await ann.signIn('oidc')
    await bob.signUp('bob@example.com')
    const ids = { ann: (await ann.me()).id as string, bob: (await bob.me()).id as string }
    await accounts.changeUser(LOCAL_ADMIN, ids.bob, { role: 'admin' })
    await changeMode('oidc')
    return { ...site, ann, bob, ids }
  }

  it('keeps it, and what was asked for beside', async () => {
    await using site = await inOidc()
    const answer = await patch(site.ann, site.ids.ann, { role: 'admin', unlink: ['codehost', 'oidc'] })
    expect(answer).toMatchObject({ status: 400, body: { code: 'last_admin' } })
    expect(await linkedAccountRows(site, site.ids.ann)).toEqual(['oidc'])
    expect((await patch(site.ann, site.ids.ann, { unlink: ['codehost'] })).status).toBe(200)
    expect((await patch(site.ann, site.ids.bob, { unlink: ['oidc'] })).status).toBe(200)
  })

  it('loses it once another admin has one', async () => {
    await using site = await inOidc()
    Object.assign(site.provider.person, { id: 2, email: 'bob@example.com' })
    await site.bob.signIn('oidc')
    expect((await patch(site.ann, site.ids.ann, { unlink: ['oidc'] })).status).toBe(200)
    expect(await patch(site.ann, site.ids.bob, { unlink: ['oidc'] })).toMatchObject({
      body: { code: 'last_admin' },
    })
  })

  it('is no matter where none can sign in now', async () => {
    const { accounts, settings, signUp } = createWorld()
    const { id } = await signUp('Ann')
    settings.lockedOut = [id]
    expect(await accounts.changeUser(ADMIN, id, { unlink: ['oidc'] })).toMatchObject({ id, role: 'admin' })
  })
})
