import { describe, expect, it } from '@jest/globals'
import { LOCAL_ADMIN } from '../../lib/core/principal.ts'
import { linkedAccounts } from '../../lib/oauth/rows.ts'
import { openSite } from './site.ts'

/** Two admins of a service with an issuer: `ann` has an account there, `bob` had a password only. */
const opened = async () => {
  const site = await openSite({ env: { AUTH_MODE: '' } })
  const { settings, accounts, store } = site.domains
  const changeMode = (authMode: 'cloud' | 'oidc') => settings.change(LOCAL_ADMIN, { system: { authMode } })
  await changeMode('cloud')
  const ann = site.browser()
  await ann.signUp('ann@example.com')
  await ann.signIn('oidc')
  const bob = site.browser()
  await bob.signUp('bob@example.com')
  const ids = { ann: (await ann.me()).id as string, bob: (await bob.me()).id as string }
  await accounts.changeUser(LOCAL_ADMIN, ids.bob, { role: 'admin' })
  const change = async (id: string, wanted: object) => {
    const headers = { 'content-type': 'application/json' }
    const answer = await ann.ask(`/api/users/${id}`, {
      method: 'PATCH',
      headers,
      body: JSON.stringify(wanted),
    })
    return { status: answer.status, code: answer.body.code }
  }
  const forgetIssuer = async () => {
    const { rows } = await store.page(linkedAccounts, {
      index: 'ofUser',
      is: ids.ann,
      order: 'asc',
      limit: 1,
    })
    const set = { realm: 'https://issuer.before.example' }
    await store.commit({ update: linkedAccounts, key: rows[0]?.id ?? '', set })
  }
  return { ...site, ...ids, bobs: bob, change, changeMode, forgetIssuer }
}

const LAST = { status: 400, code: 'last_admin' }
const DONE = { status: 200, code: undefined }

describe('the last admin whom the issuer lets in', () => {
  it.each([{ role: 'user' }, { disabled: true }])('stays one in mode oidc: %j', async (wanted) => {
    await using site = await opened()
    await site.changeMode('oidc')
    expect(await site.change(site.ann, wanted)).toEqual(LAST)
    expect(await site.change(site.bob, wanted)).toEqual(DONE)
  })

  it('is not the last once another has linked an account there', async () => {
    await using site = await opened()
    await site.changeMode('oidc')
    Object.assign(site.provider.person, { id: 2, email: 'bob@example.com' })
    expect((await site.bobs.signIn('oidc')).location).toBe('/')
    expect(await site.change(site.ann, { role: 'user' })).toEqual(DONE)
  })

  it('is one of two in mode cloud', async () => {
    await using site = await opened()
    expect(await site.change(site.ann, { role: 'user' })).toEqual(DONE)
  })

  it('is not who is linked to an issuer of before', async () => {
    await using site = await opened()
    await site.forgetIssuer()
    await expect(site.changeMode('oidc')).rejects.toMatchObject({ code: 'setting_not_changeable' })
  })
})
