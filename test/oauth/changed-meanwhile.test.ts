import { describe, expect, it } from '@jest/globals'
import { LOCAL_ADMIN } from '../../lib/core/principal.ts'
import { openSite } from './site.ts'

describe('who comes back from a provider', () => {
  it('is not signed in by a provider that was disabled', async () => {
    await using site = await openSite({ env: { AUTH_MODE: '' } })
    const { settings } = site.domains
    await settings.change(LOCAL_ADMIN, { system: { authMode: 'cloud' } })
    const browser = site.browser()
    expect(await browser.signIn('codehost')).toMatchObject({ location: '/' })
    browser.jar.clear()
    const back = await browser.comeBack('codehost')
    await settings.change(LOCAL_ADMIN, { system: { authMode: 'oidc' } })
    expect(await browser.ask(back)).toMatchObject({
      status: 501,
      body: { code: 'sign_in_not_offered' },
      cookie: null,
    })
  })

  it('is refused where the issuer’s two answers are of two persons', async () => {
    await using site = await openSite()
    site.provider.person.email = undefined
    site.provider.issuer.lie({ sub: 'oidc|somebody-else' })
    expect(await site.browser().signIn('oidc')).toMatchObject({
      location: '/login?error=oauth_failed',
      cookie: null,
    })
  })
})
