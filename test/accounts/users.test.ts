import { describe, expect, it } from '@jest/globals'
import { startApi } from '../fakes/caller.ts'
import { ADMIN, createWorld, PASSWORD } from './world.ts'

const peopled = async () => {
  const world = createWorld({ registrationMode: 'open' })
  const ann = await world.signUp('Ann')
  world.clock.advance(1)
  const bob = await world.signUp('Bob')
  const change = (id: string, wanted: { role?: 'user' | 'admin'; disabled?: boolean }) =>
    world.accounts.changeUser(ADMIN, id, wanted)
  return { ...world, ann, bob, change }
}

describe('an admin', () => {
  it('makes admins, and takes the role away while another has it', async () => {
    const { ann, bob, change, accounts } = await peopled()
    expect(await change(bob.id, { role: 'admin' })).toMatchObject({ id: bob.id, role: 'admin' })
    expect(await change(ann.id, { role: 'user' })).toMatchObject({ role: 'user' })
    expect(await accounts.readAccountStatus(ann.id)).toEqual({ role: 'user', disabled: false })
    expect(await accounts.readAccountStatus(bob.id)).toEqual({ role: 'admin', disabled: false })
  })

  it.each([{ role: 'user' as const }, { disabled: true }, { role: 'user' as const, disabled: true }])(
    'cannot do this to the last admin: %j',
    async (wanted) => {
      const { ann, change, accounts, ended } = await peopled()
      await expect(change(ann.id, wanted)).rejects.toMatchObject({ kind: 'invalid', code: 'last_admin' })
      expect(await accounts.readAccountStatus(ann.id)).toEqual({ role: 'admin', disabled: false })
      expect(ended).toEqual([])
    },
  )

  it('does not count admins who are disabled', async () => {
    const { ann, bob, change } = await peopled()
    await change(bob.id, { role: 'admin' })
    await change(bob.id, { disabled: true })
    await expect(change(ann.id, { role: 'user' })).rejects.toMatchObject({ code: 'last_admin' })
    await change(bob.id, { disabled: false })
    expect((await change(ann.id, { role: 'user' })).role).toBe('user')
  })

  it.each([{ role: 'user' as const }, { disabled: true }])(
    'does not count admins whom the mode of sign-in does not let in: %j',
    async (wanted) => {
      const { ann, bob, change, settings, accounts } = await peopled()
      await change(bob.id, { role: 'admin' })
      settings.lockedOut = [bob.id]
      await expect(change(ann.id, wanted)).rejects.toMatchObject({ kind: 'invalid', code: 'last_admin' })
      expect(await accounts.readAccountStatus(ann.id)).toEqual({ role: 'admin', disabled: false })
      expect(await change(bob.id, wanted)).toMatchObject(wanted)
    },
  )

  it('takes the role away where the mode lets in no admin, but for the last', async () => {
    const { ann, bob, change, settings } = await peopled()
    await change(bob.id, { role: 'admin' })
    settings.lockedOut = [ann.id, bob.id]
    expect(await change(ann.id, { role: 'user' })).toMatchObject({ role: 'user' })
    await expect(change(bob.id, { disabled: true })).rejects.toMatchObject({ code: 'last_admin' })
  })

  it('disables a user where the mode lets in no admin', async () => {
    const { ann, bob, change, settings } = await peopled()
    settings.lockedOut = [ann.id]
    expect(await change(bob.id, { disabled: true })).toMatchObject({ disabled: true })
  })

  it('signs out whom he disables, once more before enabling', async () => {
    const { bob, change, ended } = await peopled()
    const signedOut = { userId: bob.id, by: ADMIN.userId }
    expect(await change(bob.id, { disabled: true })).toMatchObject({ disabled: true, role: 'user' })
    expect(ended).toEqual([signedOut])
    await change(bob.id, { disabled: false })
    expect(ended).toEqual([signedOut, signedOut])
    await change(bob.id, { disabled: false })
    expect(ended).toEqual([signedOut, signedOut])
  })

  it('has both on record', async () => {
    const { bob, change, audited } = await peopled()
    await change(bob.id, { role: 'admin' })
    await change(bob.id, { disabled: true })
    expect(audited.slice(2)).toEqual([
      { action: 'user.change', details: { userId: bob.id, role: 'admin' } },
      { action: 'user.change', details: { userId: bob.id, disabled: true } },
    ])
  })

  it.each([{}, { disable: true }])(
    'is refused, and on record with nothing, who changes nothing: %j',
    async (body) => {
      await using api = await startApi({ env: { AUTH_MODE: 'cloud' } })
      const { accounts, audit } = api.service
      const { id } = await accounts.signUp({ email: 'ann@example.com', password: PASSWORD, name: 'Ann' })
      expect(await api.call(`PATCH /api/users/${id}`, { body, as: ADMIN })).toMatchObject({
        status: 400,
        body: {
          code: 'validation_failed',
          error: expect.stringMatching(/must have role, disabled or unlink/),
        },
      })
      expect((await audit.list({ limit: 9, action: 'user.change' })).records).toEqual([])
    },
  )

  it.each(['user_none', 'local'])('finds no account under %s', async (id) => {
    const { change, accounts } = await peopled()
    await accounts.change('local', { name: 'Local' })
    await expect(change(id, { disabled: true })).rejects.toMatchObject({
      kind: 'missing',
      code: 'user_not_found',
    })
  })

  it('lists accounts newest first, by pages, with their number', async () => {
    const { accounts, ann, bob } = await peopled()
    await accounts.change('local', { name: 'Local' })
    const first = await accounts.list({ limit: 1 })
    expect(first).toMatchObject({ users: [{ ...bob, disabled: false }], total: 2, count: 1, limit: 1 })
    const cursor = first.nextCursor ?? ''
    expect(await accounts.list({ limit: 1, cursor })).toEqual({
      users: [{ ...ann, disabled: false }],
      total: 2,
      count: 1,
      limit: 1,
    })
    expect((await accounts.list({ limit: 5, offset: 1 })).users).toHaveLength(1)
  })
})

describe('the status of an account', () => {
  it('is that of the mode of sign-in: the local admin in local mode, accounts in the others', async () => {
    const { accounts, settings, ann } = await peopled()
    await accounts.change('local', { name: 'Local' })
    expect(await accounts.readAccountStatus('local')).toBeUndefined()
    settings.mode = 'oidc'
    expect(await accounts.readAccountStatus(ann.id)).toEqual({ role: 'admin', disabled: false })
    settings.mode = 'local'
    expect(await accounts.readAccountStatus(ann.id)).toBeUndefined()
    expect(await accounts.readAccountStatus('local')).toEqual({ role: 'admin', disabled: false })
  })
})
