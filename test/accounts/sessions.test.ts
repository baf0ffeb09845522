import { describe, expect, it } from '@jest/globals'
import { forAllTests } from '../fakes/lifetimes.ts'
import { bearer, startCloud } from './started.ts'
import { visit } from './visitor.ts'

const cloud = forAllTests(startCloud, ({ stop }) => stop())

describe('a session', () => {
  it('comes in a cookie that scripts and other sites do not see, for 30 days', async () => {
    using bob = visit(cloud().baseUrl)
    const { status, body, cookie } = await bob.signUp('session-bob')
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        user: {
          id: expect.stringMatching(/^user_/),
          email: 'session-bob@example.com',
          name: 'session-bob',
          role: 'user',
          onboardingCompleted: false,
          createdAt: expect.any(String),
        },
        message: expect.any(String),
      },
    })
    expect(cookie).toMatch(/^svc_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=2592000$/)
    const me = await bob.send('GET /api/auth/me')
    expect(me.status).toBe(200)
    expect(me.body).toMatchObject({
      authenticated: true,
      authMode: 'cloud',
      user: { ...body.user, connectedAccounts: [], hasCodeHostToken: false },
    })
  })

  it('travels over https only where it was given so', async () => {
    const { cookie } = await visit(cloud().baseUrl, { 'x-forwarded-proto': 'https' }).logIn('ann')
    expect(cookie).toMatch(/; Secure$/)
  })

  it('is the same as a Bearer token', async () => {
    const bob = visit(cloud().baseUrl)
    expect((await bob.send('GET /api/tasks')).body).toMatchObject({ code: 'not_signed_in' })
    expect((await bob.send('GET /api/tasks', undefined, bearer(cloud().ann.token()))).status).toBe(200)
  })

  it('is a fresh one at every login, whatever cookie came along', async () => {
    const fixed = 'A'.repeat(43)
    const bob = await cloud().newcomer('fixation')
    const before = bob.token()
    bob.setToken(fixed)
    await bob.logIn('fixation')
    expect([fixed, before]).not.toContain(bob.token())
    const mallory = visit(cloud().baseUrl)
    mallory.setToken(fixed)
    expect((await mallory.send('GET /api/auth/me')).body).toMatchObject({
      authenticated: false,
      authMode: 'cloud',
    })
  })

  it('is over at once at logout, and no other one is', async () => {
    const bob = await cloud().newcomer('logout')
    const first = bob.token()
    await bob.logIn('logout')
    const second = bob.token()
    const { status, cookie } = await bob.send('POST /api/auth/logout')
    expect({ status, cookie }).toEqual({
      status: 200,
      cookie: 'svc_session=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0',
    })
    const listWithToken = (token: string) => bob.send('GET /api/tasks', undefined, bearer(token))
    expect([(await listWithToken(first)).status, (await listWithToken(second)).status]).toEqual([200, 401])
    expect((await bob.send('POST /api/auth/logout')).status).toBe(200)
  })

  it('is over at once when its user is disabled, and does not come back when enabled', async () => {
    const bob = await cloud().newcomer('disabled')
    const disable = (disabled: boolean) => cloud().ann.send(`PATCH /api/users/${bob.id}`, { disabled })
    expect((await disable(true)).body.user).toMatchObject({ id: bob.id, disabled: true })
    const me = await bob.send('GET /api/auth/me')
    expect([me.status, me.body]).toMatchObject([401, { authenticated: false, authMode: 'cloud' }])
    expect((await bob.send('GET /api/tasks')).status).toBe(401)
    const wrong = (await bob.logIn('disabled', 'wrong 1')).body
    const right = (await bob.logIn('disabled')).body
    expect({ ...right, requestId: '' }).toEqual({ ...wrong, requestId: '' })
    await disable(false)
    expect((await bob.send('GET /api/tasks')).status).toBe(401)
    expect((await bob.logIn('disabled')).status).toBe(200)
  })

  it('takes on a new role with the next request', async () => {
    const bob = await cloud().newcomer('promoted')
    expect((await bob.send('GET /api/users')).body).toMatchObject({ code: 'admin_only' })
    await cloud().ann.send(`PATCH /api/users/${bob.id}`, { role: 'admin' })
    expect((await bob.send('GET /api/users')).status).toBe(200)
    await cloud().ann.send(`PATCH /api/users/${bob.id}`, { role: 'user' })
    expect((await bob.send('GET /api/users')).status).toBe(403)
  })
})
