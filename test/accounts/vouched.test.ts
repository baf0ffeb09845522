import { describe, expect, it } from '@jest/globals'
import { ADMIN, createWorld } from './world.ts'

const CAROL = { email: 'carol@example.com', emailVerified: true, name: 'Carol' }

/** Ann and Bob are admins. */
const withTwoAdmins = async () => {
  const world = createWorld()
  const { accounts, signUp, invite } = world
  const ann = await signUp('Ann')
  const bob = await signUp('Bob', { inviteCode: await invite() })
  const change = (wanted: { role?: 'user' | 'admin'; disabled?: boolean }) =>
    accounts.changeUser(ADMIN, bob.id, wanted)
  await change({ role: 'admin' })
  return { ...world, ann, bob, change }
}

describe.each([
  ['was disabled', { disabled: true }, { disabled: false }],
  ['is no admin any more', { role: 'user' }, { role: 'admin' }],
] as const)('an invite by a user who %s', (_what, down, up) => {
  it('is refused as an unknown one is, until he is an admin again', async () => {
    const { signUp, invite, bob, change } = await withTwoAdmins()
    const inviteCode = await invite({ by: bob.id })
    await change(down)
    const answers = await Promise.allSettled([
      signUp('Carol', { inviteCode }),
      signUp('Carol', { inviteCode: `${'0'.repeat(26)}-unknown` }),
    ])
    expect(answers[0]).toMatchObject({ reason: { kind: 'invalid', code: 'invalid_invite' } })
    expect(JSON.stringify(answers[0])).toBe(JSON.stringify(answers[1]))
    await change(up)
    expect((await signUp('Carol', { inviteCode })).role).toBe('user')
  })

  it('does not admit by a verified address, which one by an admin does', async () => {
    const { accounts, invite, clock, ann, bob, change } = await withTwoAdmins()
    await invite({ by: bob.id, email: CAROL.email })
    await change(down)
    await expect(accounts.findOrCreateUser(CAROL)).rejects.toMatchObject({ code: 'invite_required' })
    clock.advance(-1)
    await invite({ by: ann.id, email: CAROL.email })
    expect(await accounts.findOrCreateUser(CAROL)).toMatchObject({ isNew: true })
  })
})

describe('an invite by the local admin', () => {
  it('is none where people have accounts', async () => {
    const { signUp, invite } = await withTwoAdmins()
    const inviteCode = await invite({ by: 'local' })
    await expect(signUp('Carol', { inviteCode })).rejects.toMatchObject({ code: 'invalid_invite' })
  })
})
