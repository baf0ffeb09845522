import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { linkedToken } from '../oauth/linked-token.ts'
import { openSite, type Site } from '../oauth/site.ts'
import { secretEnv } from '../webhooks/signed.ts'

describe('accounts elsewhere as integrations', () => {
  let site: Site
  beforeEach(async () => {
    site = await openSite({ env: secretEnv })
  })
  afterEach(() => site[Symbol.asyncDispose]())

  const person = async (email: string) => {
    const browser = site.browser()
    await browser.signUp(email)
    const status = async (name: string) => (await browser.ask(`/api/integrations/${name}`)).body
    const disconnect = (name: string) => browser.ask(`/api/integrations/${name}`, { method: 'DELETE' })
    return { ...browser, status, disconnect }
  }

  /** What an admin is asked for, and what others are. */
  const ASKED = {
    codehost: { admin: ['read:user', 'user:email', 'repo'], user: ['read:user', 'user:email', 'repo'] },
    trackera: {
      admin: ['read:me', 'read:jira-work', 'offline_access', 'write:jira-work'],
      user: ['read:me', 'read:jira-work', 'offline_access'],
    },
    trackerb: { admin: ['read', 'write'], user: ['read'] },
  }
  const WEBHOOK = { webhookConfigured: true, aiTaskLabel: 'ai-task' }
  const NOTHING = { codehost: WEBHOOK, trackera: {}, trackerb: { teams: [] } }
  const LINKED = {
    codehost: {
      username: 'ann',
      avatarUrl: expect.stringMatching(/^https:/),
      ...WEBHOOK,
      scopes: expect.arrayContaining(['repo']),
      mayComment: true,
    },
    trackera: {
      cloudId: 'cloud-1',
      siteName: 'ann-site',
      tokenExpiry: '2026-01-01T13:00:00.000Z',
      scopes: ['read:me', 'read:jira-work'],
      mayComment: false,
    },
    trackerb: {
      workspaceName: 'Ann & Co',
      workspaceId: 'org-1',
      scopes: ['read'],
      mayComment: false,
      teams: [{ id: 'team-1', name: 'Core', key: 'COR' }],
    },
  }
  type Name = keyof typeof ASKED
  const nothing = (name: Name, role: 'admin' | 'user') => ({
    connected: false,
    scopes: [],
    askedScopes: ASKED[name][role],
    mayComment: false,
    ...NOTHING[name],
  })
  const linked = (name: Name) => ({ connected: true, askedScopes: ASKED[name].admin, ...LINKED[name] })
  const names = ['codehost', 'trackera', 'trackerb'] as const

  it.each(names)(
    '%s is told to its owner alone, and revoked and forgotten by its owner alone',
    async (name) => {
      // The first to sign up is an admin.
      const [ann, bob] = [await person('bob@example.com'), await person('eve@example.com')]
      expect(await ann.status(name)).toEqual(nothing(name, 'admin'))
      await ann.signIn(name)
      expect(await ann.status(name)).toEqual(linked(name))
      expect(await bob.status(name)).toEqual(nothing(name, 'user'))
      expect(await bob.disconnect(name)).toMatchObject({
        status: 200,
        body: { message: 'Account unlinked' },
      })
      expect(await ann.status(name)).toEqual(linked(name))
      const { id } = await ann.me()
      const token = await linkedToken(site.domains, id, name)

      for (let n = 0; n < 2; n++)
        expect(await ann.disconnect(name)).toMatchObject({
          status: 200,
          body: { message: 'Account unlinked' },
        })
      expect(await ann.status(name)).toEqual(nothing(name, 'admin'))
      expect(site.provider.revocations).toEqual(name === 'trackera' ? [] : [token])
      expect(await linkedToken(site.domains, id, name)).toBeUndefined()
      const { records } = await site.domains.audit.list({ limit: 10, action: 'account.unlink' })
      expect(records).toMatchObject([{ userId: id, details: { userId: id, provider: name } }])
    },
  )

  it('may comment where an admin links one with that right, while reports are on', async () => {
    const [admin, user] = [await person('bob@example.com'), await person('eve@example.com')]
    const rights = async ({ status }: typeof admin) => {
      const { scopes, askedScopes, mayComment } = await status('trackerb')
      return { scopes, askedScopes, mayComment }
    }
    const ask = (comments: boolean) =>
      admin.ask('/api/settings', {
        method: 'PATCH',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ reporting: { comments } }),
      })
    await admin.signIn('trackerb')
    expect(await rights(admin)).toEqual({
      scopes: ['read'],
      askedScopes: ['read', 'write'],
      mayComment: false,
    })
    site.provider.state.scopes.trackerb = ['read', 'write']
    await admin.signIn('trackerb')
    const allowed = { scopes: ['read', 'write'], askedScopes: ['read', 'write'], mayComment: true }
    expect(await rights(admin)).toEqual(allowed)
    expect((await ask(false)).status).toBe(200)
    expect(await rights(admin)).toEqual({ ...allowed, askedScopes: ['read'], mayComment: false })
    expect((await ask(true)).status).toBe(200)
    expect(await rights(admin)).toEqual(allowed)
    await admin.disconnect('trackerb')
    await user.signIn('trackerb')
    expect(await rights(user)).toEqual({
      scopes: ['read', 'write'],
      askedScopes: ['read'],
      mayComment: false,
    })
  })

  it('are not connected once the provider gives no tokens any more', async () => {
    const ann = await person('bob@example.com')
    await ann.signIn('trackera')
    site.clock.advance(3_700_000)
    site.provider.grants.revokeAll()
    await linkedToken(site.domains, (await ann.me()).id, 'trackera').catch(() => undefined)
    expect(await ann.status('trackera')).toMatchObject({ connected: false, siteName: 'ann-site' })
  })

  it('are not shown without a session', async () => {
    const stranger = site.browser()
    for (const name of names)
      for (const method of ['GET', 'DELETE'])
        expect((await stranger.ask(`/api/integrations/${name}`, { method })).status).toBe(401)
  })
})
