import { describe, expect, it } from '@jest/globals'
import { invites } from '../../lib/accounts/rows.ts'
import { ADMIN, createWorld } from './world.ts'

const founded = async () => {
  const world = createWorld()
  await world.signUp('Founder')
  return world
}

describe('an address', () => {
  it('is not proven by an invite without an address', async () => {
    const { accounts, signUp, invite } = await founded()
    await signUp('Ann', { inviteCode: await invite() })
    await expect(
      accounts.findOrCreateUser({ email: 'ann@example.com', emailVerified: true }),
    ).rejects.toMatchObject({ kind: 'forbidden', code: 'account_exists' })
  })
})

describe('an invite', () => {
  it('is stored without its code, in whatever notation', async () => {
    const { invite, store } = await founded()
    const code = await invite({ email: 'ann@example.com' })
    const secret = code.slice(code.indexOf('-') + 1)
    const { rows } = await store.page(invites, { index: 'newest', order: 'desc', limit: 9 })
    const stored = JSON.stringify(rows)
    expect(rows).toHaveLength(1)
    for (const notation of ['utf8', 'hex', 'base64', 'base64url'] as const) {
      expect(stored).not.toContain(Buffer.from(secret).toString(notation).replace(/=+$/, ''))
      expect(stored).not.toContain(Buffer.from(secret, 'base64url').toString(notation).replace(/=+$/, ''))
    }
  })

  it('is audited when it is revoked, and admits no one after that', async () => {
    const { accounts, audited, invite, signUp } = await founded()
    const inviteCode = await invite()
    const [taken] = (await accounts.invites.list({ limit: 9 })).invites
    await accounts.invites.remove(ADMIN, taken?.id ?? '')
    expect(audited.at(-1)).toEqual({ action: 'invite.delete', details: { inviteId: taken?.id } })
    await expect(signUp('Ann', { inviteCode })).rejects.toMatchObject({ code: 'invalid_invite' })
  })
})
