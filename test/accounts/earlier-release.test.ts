import { describe, expect, it } from '@jest/globals'
import {
  type InviteRow,
  invites,
  type Registration,
  ROSTER_ID,
  registrations,
  rosters,
  type UserRow,
  userRowOf,
  users,
} from '../../lib/accounts/rows.ts'
import { ADMIN, createWorld, quickPasswords } from './world.ts'

const DAY_MS = 86_400_000

const ann = async (): Promise<Registration> => ({
  email: 'ann@example.com',
  shownEmail: 'Ann@example.com',
  emailVerified: false,
  name: 'Ann',
  userId: 'user_ann',
  role: 'admin',
  passwordHash: await quickPasswords.hash('correct horse 1'),
  createdAt: '2026-01-01T00:00:00.000Z',
})

describe('rows of an earlier release', () => {
  it('are accounts: a user with a version of its status, a roster with its last change, a used invite', async () => {
    const { store, accounts, logIn, signUp, invite } = createWorld()
    const founder = await ann()
    const last = { userId: founder.userId, role: 'admin', disabled: false, from: 0, to: 3 }
    await store.commit<Registration>({ insert: registrations, row: founder }, [
      { insert: users, row: { ...userRowOf(founder), standing: 3 } satisfies UserRow },
      { insert: rosters, row: { id: ROSTER_ID, version: 3, admins: [founder.userId], last } },
    ])
    expect(await logIn('Ann')).toEqual({
      id: 'user_ann',
      email: 'Ann@example.com',
      name: 'Ann',
      role: 'admin',
      onboardingCompleted: false,
      createdAt: founder.createdAt,
    })
    await expect(accounts.changeUser(ADMIN, founder.userId, { disabled: true })).rejects.toMatchObject({
      code: 'last_admin',
    })
    const bob = await signUp('Bob', { inviteCode: await invite() })
    expect(await accounts.changeUser(ADMIN, bob.id, { role: 'admin' })).toMatchObject({ role: 'admin' })
    expect(await accounts.changeUser(ADMIN, founder.userId, { disabled: true })).toMatchObject({
      disabled: true,
    })
  })

  it('are invites: one that was used for an address is used', async () => {
    const { store, signUp, invite, clock } = createWorld()
    await signUp('Founder')
    const inviteCode = await invite()
    const id = `inv_${inviteCode.slice(0, inviteCode.indexOf('-'))}`
    const used = { usedBy: 'user_bob', usedFor: 'bob@example.com', usedAt: '2026-01-01T00:00:00.000Z' }
    await store.commit<InviteRow>({ update: invites, key: id, set: used })
    clock.advance(DAY_MS)
    await expect(signUp('Cid', { inviteCode })).rejects.toMatchObject({ code: 'invalid_invite' })
  })

  it('are the first account, of which only the roster was stored: it is there after the next sign-up', async () => {
    const { store, signUp, logIn, everyUser } = createWorld()
    const founder = await ann()
    const row = { id: ROSTER_ID, version: 0, admins: [founder.userId], founder }
    await store.commit({ insert: rosters, row })
    await expect(signUp('Bob')).rejects.toMatchObject({ code: 'invite_required' })
    expect(await logIn('Ann')).toMatchObject({ id: 'user_ann', role: 'admin' })
    expect(await everyUser()).toHaveLength(1)
  })
})
