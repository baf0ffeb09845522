import { describe, expect, it } from '@jest/globals'
import { forAllTests } from '../fakes/lifetimes.ts'
import { startCloud } from './started.ts'

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
})
