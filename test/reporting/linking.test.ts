import { afterEach, describe, expect, it } from '@jest/globals'
import { openSite, type Site } from '../oauth/site.ts'

let site: Site
afterEach(() => site[Symbol.asyncDispose]())

const scopesAsked = async (who: 'nobody' | 'a user' | 'an admin', name: string): Promise<string[]> => {
  const browser = site.browser()
  if (who !== 'nobody') await browser.signUp('admin@example.com')
  const user = site.browser()
  if (who === 'a user') await user.signUp('user@example.com')
  const { location } = await (who === 'a user' ? user : browser).ask(`/api/auth/${name}`)
  return (new URL(location ?? '').searchParams.get('scope') ?? '').split(/[ ,]/)
}

describe('the scopes that a provider is asked for', () => {
  it.each([
    ['nobody', 'trackera', false],
    ['a user', 'trackera', false],
    ['an admin', 'trackera', true],
    ['nobody', 'trackerb', false],
    ['an admin', 'trackerb', true],
  ] as const)(
    'have the right to write where %s comes to the %s: not before a linking admin',
    async (who, name, writes) => {
      site = await openSite()
      const write = { trackera: 'write:jira-work', trackerb: 'write' }[name]
      expect((await scopesAsked(who, name)).includes(write)).toBe(writes)
    },
  )

  it('are the operator’s instead, and none besides while reports are off', async () => {
    site = await openSite({ env: { TRACKERB_LINK_SCOPES: 'comments:create' } })
    expect(await scopesAsked('an admin', 'trackerb')).toEqual(['read', 'comments:create'])
    await site[Symbol.asyncDispose]()
    site = await openSite({ env: { REPORT_COMMENTS: 'false' } })
    expect(await scopesAsked('an admin', 'trackerb')).toEqual(['read'])
  })
})

it('keeps what an admin linked to write, when that account signs in with less', async () => {
  site = await openSite()
  const { provider, domains } = site
  const { access } = domains.oauth
  const admin = site.browser()
  await admin.signUp('admin@example.com')
  await admin.signIn('trackera')
  expect(await access.writerAt('trackera')).toBeUndefined()
  const reads = provider.state.scopes.trackera
  provider.state.scopes.trackera = `${reads} write:jira-work`
  await admin.signIn('trackera')
  const linked = await access.writerAt('trackera')
  const token = await access.validToken(linked?.id ?? '', 'trackera')
  expect(linked).toMatchObject({ username: 'Ann', cloudId: 'cloud-1' })
  provider.state.scopes.trackera = reads
  const elsewhere = site.browser()
  await elsewhere.signIn('trackera')
  expect((await elsewhere.me()).id).toBe((await admin.me()).id)
  expect(await access.writerAt('trackera')).toEqual(linked)
  expect(await access.validToken(linked?.id ?? '', 'trackera')).toBe(token)
})
