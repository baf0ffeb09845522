import { describe, expect, it } from '@jest/globals'
import { createWorld } from './world.ts'

describe('a cursor', () => {
  it('of the accounts is worth nothing in the list of invites, nor the other way round', async () => {
    const { accounts, signUp, invite, settings } = createWorld()
    settings.registrationMode = 'open'
    for (const name of ['Ann', 'Bob']) {
      await signUp(name)
      await invite()
    }
    const ofUsers = (await accounts.list({ limit: 1 })).nextCursor ?? ''
    const ofInvites = (await accounts.invites.list({ limit: 1 })).nextCursor ?? ''
    expect((await accounts.list({ limit: 1, cursor: ofUsers })).count).toBe(1)
    expect((await accounts.invites.list({ limit: 1, cursor: ofInvites })).count).toBe(1)
    const refused = { kind: 'invalid', details: [{ path: 'cursor' }] }
    await expect(accounts.list({ limit: 1, cursor: ofInvites })).rejects.toMatchObject(refused)
    await expect(accounts.invites.list({ limit: 1, cursor: ofUsers })).rejects.toMatchObject(refused)
  })
})
