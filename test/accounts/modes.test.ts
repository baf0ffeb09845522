import { describe, expect, it } from '@jest/globals'
import { type Environment, startService, temporaryFolder } from '../journeys/service.ts'
import { visit } from './visitor.ts'

const LOCAL = {
  id: 'local',
  email: 'local@localhost',
  name: 'Local admin',
  role: 'admin',
  onboardingCompleted: false,
  connectedAccounts: [],
  hasCodeHostToken: false,
}

const inFolder = () => {
  const folder = temporaryFolder()
  return {
    start: (env: Environment = {}) => startService({ env: { DATA_DIR: folder.path, ...env } }),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  }
}

describe('local mode without a key', () => {
  it('knows one admin, who needs no session and keeps a profile', async () => {
    using place = inFolder()
    for (const bio of [undefined, 'I live here']) {
      await using service = await place.start()
      const { send } = visit(service.baseUrl, {}, { direct: true })
      expect(await send('GET /api/auth/me')).toMatchObject({
        status: 200,
        body: { authenticated: true, authMode: 'local', user: { ...LOCAL, ...(bio ? { bio } : {}) } },
      })
      const { body } = await send('PATCH /api/auth/me', { bio: 'I live here' })
      expect(body.user).toEqual({ ...LOCAL, bio: 'I live here' })
      expect((await send('GET /api/users')).body).toMatchObject({ users: [], total: 0 })
      await service.stop()
    }
  })

  it('has no passwords', async () => {
    using place = inFolder()
    await using service = await place.start()
    const visitor = visit(service.baseUrl, {}, { direct: true })
    for (const answer of [await visitor.signUp('ann'), await visitor.logIn('ann')])
      expect([answer.status, answer.body.code]).toEqual([501, 'cloud_mode_only'])
  })

  it('is over when an admin changes it, and whoever comes next begins the accounts', async () => {
    using place = inFolder()
    await using service = await place.start()
    const visitor = visit(service.baseUrl, {}, { direct: true })
    const change = (system: object) => visitor.send('PATCH /api/settings', { system })
    expect((await change({ authMode: 'oidc' })).body).toMatchObject({
      code: 'setting_not_changeable',
      error: expect.stringMatching(/OIDC_ISSUER/),
    })
    expect((await change({ authMode: 'cloud' })).status).toBe(200)
    expect((await visitor.send('GET /api/auth/me')).body).toEqual({ authenticated: false, authMode: 'cloud' })
    expect((await visitor.send('GET /api/tasks')).status).toBe(401)
    expect((await visitor.signUp('ann')).body.user).toMatchObject({ role: 'admin' })
    expect((await change({ authMode: null })).status).toBe(200)
    // An account of cloud mode is nobody in local mode, which needs none.
    const me = await visitor.send('GET /api/auth/me')
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
    const visitor = visit(service.baseUrl, {}, { direct: true })
    const me = await visitor.send('GET /api/auth/me')
    expect([me.status, me.body]).toEqual([401, { authenticated: false, authMode: 'oidc' }])
    for (const answer of [await visitor.signUp('ann'), await visitor.logIn('ann')])
      expect([answer.status, answer.body.code]).toEqual([501, 'cloud_mode_only'])
    const key = await visitor.send('POST /api/auth/verify-access-key', { key: 'whatever' })
    expect([key.status, key.body.code]).toEqual([501, 'local_mode_only'])
  })
})
