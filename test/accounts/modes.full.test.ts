import { describe, expect, it } from '@jest/globals'
import { inFolder } from './in-folder.ts'

const LOCAL = {
  id: 'local',
  email: 'local@localhost',
  name: 'Local admin',
  role: 'admin',
  onboardingCompleted: false,
  connectedAccounts: [],
  hasCodeHostToken: false,
}

describe('local mode without a key', () => {
  it('knows one admin, who needs no session and keeps a profile', async () => {
    using place = inFolder()
    for (const bio of [undefined, 'I live here']) {
      await using service = await place.start()
      expect(await service.send('GET /api/auth/me')).toMatchObject({
        status: 200,
        body: { authenticated: true, authMode: 'local', user: { ...LOCAL, ...(bio ? { bio } : {}) } },
      })
      const { body } = await service.send('PATCH /api/auth/me', { bio: 'I live here' })
      expect(body.user).toEqual({ ...LOCAL, bio: 'I live here' })
      expect((await service.send('GET /api/users')).body).toMatchObject({ users: [], total: 0 })
    }
  })

  it('is over when an admin changes it, and the next to sign up is the first account', async () => {
    using place = inFolder()
    await using service = await place.start()
    expect((await service.change({ authMode: 'oidc' })).body).toMatchObject({
      code: 'setting_not_changeable',
      error: expect.stringMatching(/OIDC_ISSUER/),
    })
    expect((await service.change({ authMode: 'cloud' })).status).toBe(200)
    expect((await service.send('GET /api/auth/me')).body).toMatchObject({
      authenticated: false,
      authMode: 'cloud',
    })
    expect((await service.send('GET /api/tasks')).status).toBe(401)
    expect((await service.signUp('ann')).body.user).toMatchObject({ role: 'admin' })
    expect((await service.change({ authMode: null })).status).toBe(200)
    // An account of cloud mode is nobody in local mode, which needs none.
    const me = await service.send('GET /api/auth/me')
    expect(me.body).toMatchObject({ authMode: 'local', user: { id: 'local' } })
  })
})

describe('the modes other than cloud', () => {
  it('of which oidc needs its issuer from the environment, and has neither passwords nor a key', async () => {
    using place = inFolder()
    await using service = await place.start({
      AUTH_MODE: 'oidc',
      OIDC_ISSUER: 'https://issuer.example',
      OIDC_CLIENT_ID: 'client',
      OIDC_CLIENT_SECRET: 'client-secret',
    })
    const me = await service.send('GET /api/auth/me')
    expect([me.status, me.body]).toMatchObject([401, { authenticated: false, authMode: 'oidc' }])
    for (const answer of [await service.signUp('ann'), await service.logIn('ann')])
      expect([answer.status, answer.body.code]).toEqual([501, 'cloud_mode_only'])
    const key = await service.send('POST /api/auth/verify-access-key', { key: 'whatever' })
    expect([key.status, key.body.code]).toEqual([501, 'local_mode_only'])
  })
})
