import { describe, expect, it } from '@jest/globals'
import { forAllTests } from '../fakes/lifetimes.ts'
import { startService, temporaryFolder } from '../journeys/service.ts'
import { startCloud } from './started.ts'
import { visit } from './visitor.ts'

const cloud = forAllTests(startCloud, ({ stop }) => stop())

describe('accounts in cloud mode', () => {
  it('live through a restart, sessions too', async () => {
    await cloud().restart()
    expect((await cloud().ann.send('GET /api/auth/me')).body.user).toMatchObject({
      name: 'ann',
      role: 'admin',
    })
  })

  it('keep what people say of themselves, and take it away again', async () => {
    const profile = {
      name: 'Bob B.',
      avatarUrl: 'https://example.com/bob.png',
      bio: 'Line one\nline two',
      timezone: 'Europe/Berlin',
      locale: 'de-DE',
      onboardingCompleted: true,
    }
    const bob = await cloud().newcomer('profile')
    const changed = await bob.send('PATCH /api/auth/me', { ...profile, role: 'admin', id: 'x' })
    expect(changed.body.user).toMatchObject({
      ...profile,
      role: 'user',
      id: bob.id,
      email: 'profile@example.com',
    })
    const { user } = (await bob.send('PATCH /api/auth/me', { bio: null, avatarUrl: null })).body
    expect(user).toMatchObject({ name: 'Bob B.', timezone: 'Europe/Berlin' })
    expect([user.bio, user.avatarUrl]).toEqual([undefined, undefined])
    const bad = await bob.send('PATCH /api/auth/me', { timezone: 'Mars', locale: '!', name: null })
    expect(bad.status).toBe(400)
    expect(bad.body.details.map((one: { path: string }) => one.path).sort()).toEqual([
      'locale',
      'name',
      'timezone',
    ])
  })

  it('have one first admin of twenty who come at once over HTTP', async () => {
    using folder = temporaryFolder()
    const env = { AUTH_MODE: 'cloud', REGISTRATION_MODE: 'open', TRUST_PROXY: '1', DATA_DIR: folder.path }
    await using fresh = await startService({ env })
    const came = await Promise.all(
      Array.from({ length: 20 }, (_, n) => visit(fresh.baseUrl).signUp(`person${n}`)),
    )
    expect(came.map(({ status }) => status)).toEqual(came.map(() => 200))
    expect(came.filter(({ body }) => body.user.role === 'admin')).toHaveLength(1)
  })
})

describe('who may do what', () => {
  it.each([
    ['GET /api/users', [401, 403, 200]],
    ['PATCH /api/users/user_none', [401, 403, 400]],
    ['GET /api/auth/invites', [401, 403, 200]],
    ['POST /api/auth/invites', [401, 403, 201]],
    ['DELETE /api/auth/invites/inv_none', [401, 403, 404]],
    ['GET /api/audit', [401, 403, 200]],
    ['GET /api/settings', [401, 403, 200]],
    ['PATCH /api/settings', [401, 403, 200]],
    ['PUT /api/auth/access-key', [401, 403, 400]],
    ['PATCH /api/auth/me', [401, 200, 200]],
    ['POST /api/auth/password', [401, 400, 400]],
    ['POST /api/users/user_none/reset-code', [401, 403, 404]],
    ['GET /api/auth/sessions', [401, 200, 200]],
    ['DELETE /api/auth/sessions/session_none', [401, 404, 404]],
    ['GET /api/auth/me', [401, 200, 200]],
  ])('%s answers nobody, a user and an admin %j', async (request, statuses) => {
    const user = visit(cloud().baseUrl)
    user.setToken(await userToken())
    const body = request.startsWith('GET') ? undefined : {}
    const answers = []
    for (const who of [visit(cloud().baseUrl), user, cloud().ann])
      answers.push((await who.send(request, body)).status)
    expect(answers).toEqual(statuses)
  })

  let token: string | undefined
  const userToken = async () => {
    token ??= (await cloud().newcomer('ordinary')).token()
    return token
  }
})
