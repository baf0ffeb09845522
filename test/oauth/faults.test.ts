import { describe, expect, it } from '@jest/globals'
import type { Fault } from './provider.ts'
import { openSite } from './site.ts'

const faults: [Fault, string][] = [
  ['status 500', 'oauth_failed'],
  ['html', 'oauth_failed'],
  ['refusal with 200', 'invalid_code'],
  ['client refused', 'oauth_failed'],
  ['redirect', 'oauth_failed'],
  ['huge', 'provider_unreachable'],
  ['reset', 'provider_unreachable'],
]

describe('a token endpoint', () => {
  it.each(faults)('that fails with %s does not sign in, and the page gets %s', async (fault, reason) => {
    await using site = await openSite()
    for (const name of ['codehost', 'trackera', 'oidc'] as const) {
      const browser = site.browser()
      const back = await browser.comeBack(name)
      site.provider.state.fault = fault
      const { location, cookie } = await browser.ask(back)
      // An issuer that refuses does so by its status: only the others need to be made sense of.
      const told = name === 'oidc' && reason === 'invalid_code' ? 'oauth_failed' : reason
      expect({ location, cookie }).toEqual({ location: `/login?error=${told}`, cookie: null })
      site.provider.state.fault = 'none'
    }
    expect(site.provider.tokenCalls).toHaveLength(3)
  })

  it('that hangs is given up', async () => {
    await using site = await openSite({ providerTimeoutMs: 2_000 })
    const browser = site.browser()
    const back = await browser.comeBack('codehost')
    site.provider.state.fault = 'hang'
    expect((await browser.ask(back)).location).toBe('/login?error=provider_unreachable')
  })

  it('that refuses is in the log by its error code, and by nothing else it said', async () => {
    await using site = await openSite()
    const browser = site.browser()
    const back = await browser.comeBack('trackera')
    await site.browser().ask(back)
    site.provider.grants.revokeAll()
    const changed = back.replace(/code=[^&]+/, 'code=unknown')
    expect((await browser.ask(changed)).location).toBe('/login?error=invalid_code')
    const said = site.log.entries.filter(({ message }) => message === 'a sign-in with a provider failed')
    expect(said.at(-1)?.fields).toEqual({
      provider: 'trackera',
      reason: 'invalid_code',
      cause: 'invalid_grant',
    })
  })
})

describe('an API that does not know the person', () => {
  it('does not sign in', async () => {
    await using site = await openSite()
    const browser = site.browser()
    const back = await browser.comeBack('trackerb')
    site.provider.state.apiFault = true
    expect((await browser.ask(back)).location).toBe('/login?error=oauth_failed')
  })
})
