import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import type { Principal } from '../../lib/core/principal.ts'
import { openSite, type Site } from './site.ts'

const ROOT: Principal = { userId: 'user_root', role: 'admin' }
const FORGED = '/api/auth/codehost/callback?code=CANARY&state=CANARY'

describe('a sign-in with a provider that is refused', () => {
  let site: Site
  beforeEach(async () => {
    site = await openSite({ env: { TRUST_PROXY: '1' } })
  })
  afterEach(() => site[Symbol.asyncDispose]())

  const records = async () => {
    const { records: found } = await site.domains.audit.list({ limit: 200, action: 'auth.refused' })
    return found.map(({ userId, details }) => ({ userId, details }))
  }
  const refused = (provider: string, reason: string, address = '127.0.0.1') => ({
    userId: 'anonymous',
    details: { with: provider, reason, address },
  })

  it('is on record with the provider, the reason and where it came from', async () => {
    site.provider.person.verified = false
    await site.browser().signIn('codehost')
    expect(await records()).toEqual([refused('codehost', 'email_not_verified')])
  })

  it('is on record where it would take over an account', async () => {
    await site.browser().signUp('ann@example.com')
    await site.browser().signIn('trackera')
    expect(await records()).toEqual([refused('trackera', 'account_exists')])
  })

  it('is on record where the account is disabled', async () => {
    await site.browser().signUp('first@example.com')
    const browser = site.browser()
    await browser.signIn('codehost')
    await site.domains.accounts.changeUser(ROOT, (await browser.me()).id, { disabled: true })
    await site.browser().signIn('codehost')
    expect(await records()).toEqual([refused('codehost', 'sign_in_refused')])
  })

  it('is on record where an ID token is for another sign-in', async () => {
    site.provider.issuer.lie({ nonce: 'another' })
    await site.browser().signIn('oidc')
    expect(await records()).toEqual([refused('oidc', 'oauth_failed')])
  })

  it('is on record for single-page clients too', async () => {
    const browser = site.browser()
    const { state } = (await browser.ask('/api/auth/codehost/url')).body
    await browser.post('/api/auth/codehost/token', { code: 'CANARY', state })
    expect(await records()).toEqual([refused('codehost', 'invalid_code')])
  })

  it('is on record when it began in another browser, without the code or the state', async () => {
    await site.browser().ask(FORGED)
    expect(await records()).toEqual([refused('codehost', 'invalid_state')])
  })

  it('is on record under who was to link the account', async () => {
    await site.browser().signIn('codehost')
    const other = site.browser()
    await other.signUp('other@example.com')
    await other.signIn('codehost')
    const { id: userId } = await other.me()
    expect(await records()).toEqual([{ ...refused('codehost', 'account_taken'), userId }])
  })

  it('is on record ten times a minute for one address, or network, and not more often', async () => {
    const from = (address: string) => site.browser().ask(FORGED, { headers: { 'x-forwarded-for': address } })
    for (let n = 0; n < 15; n++) expect((await from(`2001:db8:1:2::${n}`)).status).toBe(302)
    expect(await records()).toHaveLength(10)
    await from('2001:db8:1:3::1')
    expect((await records())[0]).toEqual(refused('codehost', 'invalid_state', '2001:db8:1:3::1'))
    site.clock.advance(60_000)
    await from('2001:db8:1:2::1')
    expect(await records()).toHaveLength(12)
  })

  it('is no refusal where it succeeds, where its person declines, or where the provider is out of reach', async () => {
    await site.browser().signIn('codehost')
    const browser = site.browser()
    const { state } = (await browser.ask('/api/auth/codehost/url')).body
    await browser.ask(`/api/auth/codehost/callback?error=access_denied&state=${state}`)
    site.provider.state.fault = 'reset'
    expect((await site.browser().signIn('codehost')).location).toBe('/login?error=provider_unreachable')
    expect(await records()).toEqual([])
  })
})
