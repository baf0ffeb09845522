import { describe, expect, it } from '@jest/globals'
import { ADMIN, createWorld } from './world.ts'

const ANN = { email: 'Ann@Example.com', emailVerified: true, name: 'Ann' }

const founded = async (options: Parameters<typeof createWorld>[0] = {}) => {
  const world = createWorld(options)
  await world.signUp('Founder')
  return world
}

describe('a person whom a provider vouches for', () => {
  it.each(['cloud', 'oidc'] as const)('gets the first account, which is admin, in mode %s', async (mode) => {
    const { accounts } = createWorld({ mode })
    const { user, isNew } = await accounts.findOrCreateUser(ANN)
    expect([user, isNew]).toEqual([
      expect.objectContaining({ email: 'Ann@Example.com', role: 'admin', name: 'Ann' }),
      true,
    ])
  })

  it('comes back to the same account, in any case of the address', async () => {
    const { accounts } = await founded({ registrationMode: 'open' })
    const { user } = await accounts.findOrCreateUser(ANN)
    const again = await accounts.findOrCreateUser({ ...ANN, email: 'ANN@EXAMPLE.COM', name: 'Another' })
    expect(again).toEqual({ user, isNew: false })
  })

  it('needs an invite where registration does: to the address, or a code', async () => {
    const { accounts, invite } = await founded()
    await expect(accounts.findOrCreateUser(ANN)).rejects.toMatchObject({ code: 'invite_required' })
    await invite({ email: 'bob@example.com' })
    await expect(accounts.findOrCreateUser(ANN)).rejects.toMatchObject({ code: 'invite_required' })
    await invite({ email: 'ann@example.com' })
    expect((await accounts.findOrCreateUser(ANN)).isNew).toBe(true)
    const cid = { email: 'cid@example.com', emailVerified: true, invite: await invite() }
    expect((await accounts.findOrCreateUser(cid)).user).toMatchObject({
      name: 'cid@example.com',
      role: 'user',
    })
  })

  it('is refused while registration is closed, but for who has an account', async () => {
    const { accounts, settings } = await founded({ registrationMode: 'open' })
    await accounts.findOrCreateUser(ANN)
    settings.registrationMode = 'closed'
    expect((await accounts.findOrCreateUser(ANN)).isNew).toBe(false)
    await expect(accounts.findOrCreateUser({ ...ANN, email: 'bob@example.com' })).rejects.toMatchObject({
      kind: 'forbidden',
      code: 'registration_closed',
    })
  })

  it('with an address that was not verified matches no account and makes none', async () => {
    const { accounts, invite, everyUser } = await founded()
    await accounts.findOrCreateUser({ ...ANN, invite: await invite() })
    for (const email of ['ann@example.com', 'bob@example.com'])
      await expect(accounts.findOrCreateUser({ email, emailVerified: false })).rejects.toMatchObject({
        kind: 'forbidden',
        code: 'email_not_verified',
      })
    expect(await everyUser()).toHaveLength(2)
  })

  it('does not get an account that was registered earlier with that address and a password', async () => {
    const { accounts, signUp } = await founded({ registrationMode: 'open' })
    await signUp('Ann')
    await expect(accounts.findOrCreateUser(ANN)).rejects.toMatchObject({
      kind: 'forbidden',
      code: 'account_exists',
    })
  })

  it('shares the account that was made with a password and an invite to that address', async () => {
    const { accounts, signUp, invite } = await founded()
    const { id } = await signUp('Ann', { inviteCode: await invite({ email: 'ann@example.com' }) })
    expect(await accounts.findOrCreateUser(ANN)).toMatchObject({ user: { id }, isNew: false })
  })

  it('has no password to log in with', async () => {
    const { accounts, logIn } = await founded({ registrationMode: 'open' })
    await accounts.findOrCreateUser(ANN)
    await expect(logIn('Ann')).rejects.toMatchObject({ code: 'bad_credentials' })
  })

  it('is refused when disabled', async () => {
    const { accounts } = await founded({ registrationMode: 'open' })
    const { user } = await accounts.findOrCreateUser(ANN)
    await accounts.changeUser(ADMIN, user.id, { disabled: true })
    await expect(accounts.findOrCreateUser(ANN)).rejects.toMatchObject({ code: 'sign_in_refused' })
  })

  it.each([
    ['no address', { email: '' }, 'email_not_usable'],
    ['an address with other letters', { email: 'ann@exampl\u0435.com' }, 'email_not_usable'],
  ])('with %s is told so', async (_what, more, code) => {
    const { accounts } = createWorld()
    await expect(accounts.findOrCreateUser({ ...ANN, ...more })).rejects.toMatchObject({
      kind: 'invalid',
      code,
    })
  })

  it('keeps of name and picture what may be one', async () => {
    const { accounts } = createWorld()
    const { user } = await accounts.findOrCreateUser({
      ...ANN,
      name: ` ${'long '.repeat(40)}`,
      avatarUrl: 'javascript:alert(1)',
    })
    expect(user.name).toHaveLength(99)
    expect(user.avatarUrl).toBeUndefined()
  })

  it.each([
    ['Ann\0\nLee', 'Ann Lee'],
    ['\u200b\u3164', 'Ann@Example.com'],
  ])('has of the name %j what can be seen', async (name, shown) => {
    const { accounts } = createWorld()
    expect((await accounts.findOrCreateUser({ ...ANN, name })).user.name).toBe(shown)
  })

  it('has no account in local mode', async () => {
    const { accounts } = createWorld({ mode: 'local' })
    await expect(accounts.findOrCreateUser(ANN)).rejects.toMatchObject({ kind: 'unsupported' })
  })
})
