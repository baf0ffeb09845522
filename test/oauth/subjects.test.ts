import { describe, expect, it } from '@jest/globals'
import { linkedAccounts } from '../../lib/oauth/rows.ts'
import { openSite, type Site } from './site.ts'

const OIDC = { AUTH_MODE: 'oidc' }
const REFUSED = { location: '/login?error=account_exists', cookie: null }

/** The same installation with another client of the same issuer. */
const withClient = ({ provider, domains }: Site, id: string, env: Record<string, string> = OIDC) => {
  provider.client.id = id
  return openSite({ env, provider, after: domains })
}
const signedIn = async (site: Site) => {
  const browser = site.browser()
  const { location } = await browser.signIn('oidc')
  return { location, id: (await browser.me())?.id }
}
const linkedAccountRows = async ({ domains }: Site, userId: string) =>
  (await domains.store.page(linkedAccounts, { index: 'ofUser', is: userId, order: 'asc', limit: 9 })).rows

describe('whom an issuer tells each client as another subject', () => {
  it('is found by the verified address after a change of the client, and known from then on', async () => {
    await using site = await openSite({ env: OIDC })
    const { id } = await signedIn(site)
    const { person } = site.provider
    person.id = 777
    expect(await site.browser().signIn('oidc')).toMatchObject(REFUSED)
    await using later = await withClient(site, 'another-client')
    expect(await signedIn(later)).toEqual({ location: '/', id })
    expect((await linkedAccountRows(later, id)).map(({ clientId }) => clientId).sort()).toEqual([
      'another-client',
      'the-client',
    ])
    // Of the client of now there is one subject again, which the address does not pass over.
    person.id = 778
    expect(await later.browser().signIn('oidc')).toMatchObject(REFUSED)
    Object.assign(person, { id: 777, email: 'moved@example.com' })
    expect((await signedIn(later)).id).toBe(id)
  })

  it('is known by a subject that all clients are told, with one account still', async () => {
    await using site = await openSite({ env: OIDC })
    const { id } = await signedIn(site)
    Object.assign(site.provider.person, { email: 'moved@example.com', verified: false })
    await using later = await withClient(site, 'another-client')
    expect(await signedIn(later)).toEqual({ location: '/', id })
    expect(await linkedAccountRows(later, id)).toMatchObject([{ clientId: 'another-client' }])
  })

  it('counts as an admin whom the issuer lets in, whatever client linked the account', async () => {
    await using site = await openSite({ env: { AUTH_MODE: 'cloud' } })
    const ann = site.browser()
    await ann.signUp('ann@example.com')
    await ann.signIn('oidc')
    await using later = await withClient(site, 'another-client', { AUTH_MODE: 'cloud' })
    expect(await later.domains.issuerBringsAdmin()).toBe(true)
    expect(await later.domains.issuerBrings((await ann.me()).id)).toBe(true)
  })
})
