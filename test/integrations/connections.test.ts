import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
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

  const NOTHING = {
    codehost: { connected: false, scopes: [], webhookConfigured: true, aiTaskLabel: 'ai-task' },
    trackera: { connected: false, scopes: [] },
    trackerb: { connected: false, teams: [] },
  }
  const LINKED = {
    codehost: {
      ...{ connected: true, username: 'ann', avatarUrl: expect.stringMatching(/^https:/) },
      ...{ scopes: expect.arrayContaining(['repo']), webhookConfigured: true, aiTaskLabel: 'ai-task' },
    },
    trackera: {
      ...{ connected: true, cloudId: 'cloud-1', siteName: 'ann-site' },
      ...{ scopes: ['read:me', 'read:jira-work'], tokenExpiry: '2026-01-01T13:00:00.000Z' },
    },
    trackerb: {
      ...{ connected: true, workspaceName: 'Ann & Co', workspaceId: 'org-1' },
      teams: [{ id: 'team-1', name: 'Core', key: 'COR' }],
    },
  }
  const names = ['codehost', 'trackera', 'trackerb'] as const

  it.each(names)(
    '%s is told to its owner alone, and revoked and forgotten by its owner alone',
    async (name) => {
      const [ann, bob] = [await person('bob@example.com'), await person('eve@example.com')]
      expect(await ann.status(name)).toEqual(NOTHING[name])
      await ann.signIn(name)
      expect(await ann.status(name)).toEqual(LINKED[name])
      expect(await bob.status(name)).toEqual(NOTHING[name])
      expect(await bob.disconnect(name)).toMatchObject({
        status: 200,
        body: { message: 'Account disconnected' },
      })
      expect(await ann.status(name)).toEqual(LINKED[name])
      const { id } = await ann.me()
      const token = await site.domains.oauth.accessTokenOf(id, name)

      for (let n = 0; n < 2; n++)
        expect(await ann.disconnect(name)).toMatchObject({
          status: 200,
          body: { message: 'Account disconnected' },
        })
      expect(await ann.status(name)).toEqual(NOTHING[name])
      expect(site.provider.revocations).toEqual(name === 'trackera' ? [] : [token])
      expect(await site.domains.oauth.accessTokenOf(id, name)).toBeUndefined()
      const { records } = await site.domains.audit.list({ limit: 10, action: 'account.unlink' })
      expect(records).toMatchObject([{ userId: id, details: { userId: id, provider: name } }])
    },
  )

  it('are not connected once the provider gives no tokens any more', async () => {
    const ann = await person('bob@example.com')
    await ann.signIn('trackera')
    site.clock.advance(3_700_000)
    site.provider.grants.revokeAll()
    await site.domains.oauth.accessTokenOf((await ann.me()).id, 'trackera').catch(() => undefined)
    expect(await ann.status('trackera')).toMatchObject({ connected: false, siteName: 'ann-site' })
  })

  it('are nobody’s without a session', async () => {
    const stranger = site.browser()
    for (const name of names)
      for (const method of ['GET', 'DELETE'])
        expect((await stranger.ask(`/api/integrations/${name}`, { method })).status).toBe(401)
  })
})
