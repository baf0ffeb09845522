import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { LOCAL_ADMIN } from '../../lib/core/principal.ts'
import type { Browser } from '../oauth/browser.ts'
import { openSite, type Site } from '../oauth/site.ts'

const BOB = 'bob@example.com'

describe('the change to sign-in by an issuer alone', () => {
  let site: Site
  beforeEach(async () => {
    site = await openSite({ env: { AUTH_MODE: '' } })
    await site.domains.settings.change(LOCAL_ADMIN, { system: { authMode: 'cloud' } })
  })
  afterEach(() => site[Symbol.asyncDispose]())

  const changeMode = async (browser: Browser, authMode: string) => {
    const body = JSON.stringify({ system: { authMode } })
    const headers = { 'content-type': 'application/json' }
    const answer = await browser.ask('/api/settings', { method: 'PATCH', headers, body })
    return { status: answer.status, body: answer.body }
  }
  const refused = {
    status: 400,
    body: {
      code: 'setting_not_changeable',
      error: expect.stringMatching(
        /^system\.authMode: .*First link the account of an admin at \/api\/auth\/oidc/,
      ),
    },
  }
  const founder = async () => {
    const browser = site.browser()
    await browser.signUp(BOB)
    return browser
  }

  it('is refused while it would let no admin in, and taken once one has linked an account there', async () => {
    const browser = await founder()
    expect(await changeMode(browser, 'oidc')).toMatchObject(refused)
    expect(site.domains.settings.current().system.authMode).toBe('cloud')
    expect(await browser.signIn('oidc')).toMatchObject({ location: '/', cookie: null })
    expect(await changeMode(browser, 'oidc')).toMatchObject({ status: 200 })
    const elsewhere = site.browser()
    await elsewhere.signIn('oidc')
    expect(await elsewhere.me()).toMatchObject({ email: BOB, role: 'admin' })
    expect(await changeMode(elsewhere, 'cloud')).toMatchObject({ status: 200 })
  })

  it('is not helped by an account linked elsewhere, by that of a user, or of an admin who is disabled', async () => {
    const browser = await founder()
    await browser.signIn('codehost')
    const user = site.browser()
    await user.signUp('eve@example.com')
    await user.signIn('oidc')
    expect(await changeMode(browser, 'oidc')).toMatchObject(refused)
    const { id } = await user.me()
    await site.domains.accounts.changeUser(LOCAL_ADMIN, id, { role: 'admin', disabled: true })
    expect(await changeMode(browser, 'oidc')).toMatchObject(refused)
    await site.domains.accounts.changeUser(LOCAL_ADMIN, id, { disabled: false })
    expect(await changeMode(browser, 'oidc')).toMatchObject({ status: 200 })
  })

  it('is taken where an admin’s address is verified, by which the issuer finds the account', async () => {
    const browser = site.browser()
    await browser.signIn('codehost')
    const { id } = await browser.me()
    expect(await changeMode(browser, 'oidc')).toMatchObject({ status: 200 })
    const elsewhere = site.browser()
    await elsewhere.signIn('oidc')
    expect(await elsewhere.me()).toMatchObject({ id, role: 'admin' })
  })

  it('is taken before there is an account: the first is the admin', async () => {
    await site.domains.settings.change(LOCAL_ADMIN, { system: { authMode: 'oidc' } })
    const browser = site.browser()
    await browser.signIn('oidc')
    expect(await browser.me()).toMatchObject({ role: 'admin' })
  })
})
