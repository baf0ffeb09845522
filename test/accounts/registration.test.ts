import { describe, expect, it } from '@jest/globals'
import { accountRoutes } from '../../lib/accounts/contract.ts'
import { createWorld, PASSWORD } from './world.ts'

const founded = async (options: Parameters<typeof createWorld>[0] = {}) => {
  const world = createWorld(options)
  await world.signUp('Founder')
  return world
}

describe('the first account', () => {
  it.each(['invite', 'open'] as const)(
    'needs no invite and is admin, in mode %s',
    async (registrationMode) => {
      const { signUp } = createWorld({ registrationMode })
      expect(await signUp('Ann')).toMatchObject({ name: 'Ann', email: 'ann@example.com', role: 'admin' })
    },
  )

  it('is not made while registration is closed', async () => {
    const { signUp, settings } = createWorld({ registrationMode: 'closed' })
    await expect(signUp('Ann')).rejects.toMatchObject({ kind: 'forbidden', code: 'registration_closed' })
    settings.registrationMode = 'invite'
    expect((await signUp('Ann')).role).toBe('admin')
  })
})

describe('an empty invite code', () => {
  it('is none: the first account and open registration take it, and with invites it is missing', async () => {
    const { signUp, settings } = createWorld({ registrationMode: 'open' })
    expect((await signUp('Ann', { inviteCode: '' })).role).toBe('admin')
    expect((await signUp('Bob', { inviteCode: '' })).role).toBe('user')
    settings.registrationMode = 'invite'
    await expect(signUp('Eve', { inviteCode: '' })).rejects.toMatchObject({ code: 'invite_required' })
  })

  it.each([
    ['', true],
    [' ', true],
    [null, false],
    ['x'.repeat(201), false],
  ])('may be sent, and %j may: %s', (inviteCode, may) => {
    const form = { email: 'ann@example.com', password: PASSWORD, name: 'Ann', inviteCode }
    expect(accountRoutes.signup.body.safeParse(form).success).toBe(may)
  })
})

describe('registration', () => {
  it('that is open makes users of all who come', async () => {
    const { signUp } = await founded({ registrationMode: 'open' })
    expect((await signUp('Ann')).role).toBe('user')
    expect((await signUp('Bob', { inviteCode: 'whatever' })).role).toBe('user')
  })

  it('by invite refuses who has none, and takes a code once', async () => {
    const { signUp, invite } = await founded()
    await expect(signUp('Ann')).rejects.toMatchObject({ kind: 'forbidden', code: 'invite_required' })
    const inviteCode = await invite()
    expect((await signUp('Ann', { inviteCode })).role).toBe('user')
    await expect(signUp('Bob', { inviteCode })).rejects.toMatchObject({
      kind: 'invalid',
      code: 'invalid_invite',
    })
  })

  it.each([
    ['unknown', (code: string) => `${code}x`],
    ['of another invite', (code: string) => code.replace(/^.{26}/, `${'0'.repeat(25)}9`)],
    ['without a secret', (code: string) => code.slice(0, 26)],
    ['with an empty secret', (code: string) => code.slice(0, 27)],
    ['no code at all', () => '-'],
  ])('refuses a code that is %s', async (_what, changed) => {
    const { signUp, invite } = await founded()
    const inviteCode = changed(await invite())
    await expect(signUp('Ann', { inviteCode })).rejects.toMatchObject({
      kind: 'invalid',
      code: 'invalid_invite',
    })
  })

  it('refuses an invite that has expired, and takes it a moment before', async () => {
    const { signUp, invite, clock } = await founded()
    const codes = [await invite({ expiresInDays: 2 }), await invite({ expiresInDays: 2 })]
    clock.advance(2 * 86_400_000 - 1)
    await signUp('Ann', { inviteCode: codes[0] ?? '' })
    clock.advance(1)
    await expect(signUp('Bob', { inviteCode: codes[1] ?? '' })).rejects.toMatchObject({
      code: 'invalid_invite',
    })
  })

  it('takes an invite to an address from that address only, in any case', async () => {
    const { signUp, invite } = await founded()
    const inviteCode = await invite({ email: 'Ann@Example.com' })
    await expect(signUp('Bob', { inviteCode })).rejects.toMatchObject({ code: 'invalid_invite' })
    expect((await signUp('Ann', { inviteCode, email: 'ANN@example.COM' })).email).toBe('ANN@example.COM')
  })

  it('asks for the code of an invite to an address, which who types that address may not be', async () => {
    const { signUp, invite } = await founded()
    await invite({ email: 'ann@example.com' })
    await expect(signUp('Ann')).rejects.toMatchObject({ code: 'invite_required' })
  })

  it('refuses an address that has an account, in any case, and leaves the invite for another', async () => {
    const { signUp, invite, logIn, everyUser } = await founded()
    const inviteCode = await invite()
    await expect(signUp('Founder', { inviteCode, email: 'FOUNDER@Example.com' })).rejects.toMatchObject({
      kind: 'invalid',
      code: 'email_taken',
    })
    await signUp('Ann', { inviteCode })
    expect((await logIn('FOUNDER')).name).toBe('Founder')
    expect(await everyUser()).toHaveLength(2)
  })

  it('does not tell who has no invite whether an address has an account', async () => {
    const { signUp } = await founded()
    await expect(signUp('Founder')).rejects.toMatchObject({ code: 'invite_required' })
    await expect(signUp('Founder', { inviteCode: 'wrong-code' })).rejects.toMatchObject({
      code: 'invalid_invite',
    })
  })

  it.each(['local', 'oidc'] as const)('and log-in by password are not there in mode %s', async (mode) => {
    const { signUp, logIn } = createWorld({ mode })
    for (const call of [() => signUp('Ann'), () => logIn('Ann')])
      await expect(call()).rejects.toMatchObject({ kind: 'unsupported', code: 'cloud_mode_only' })
  })

  it('is audited with the invite that it was by, without password or code', async () => {
    const { signUp, invite, audited, accounts } = await founded()
    const inviteCode = await invite()
    await signUp('Ann', { inviteCode })
    expect(audited.map(({ action }) => action)).toEqual(['user.register', 'invite.create', 'user.register'])
    const [made] = (await accounts.invites.list({ limit: 1 })).invites
    expect(audited.map(({ details }) => details)).toEqual([
      { as: 'founder' },
      { inviteId: made?.id, expiresAt: made?.expiresAt },
      { as: 'invited', inviteId: made?.id },
    ])
    const told = JSON.stringify(audited)
    expect(told).not.toContain(PASSWORD)
    expect(told).not.toContain(inviteCode.slice(27))
  })
})

describe('logging in', () => {
  it('says the same of an unknown address, a wrong password and a disabled account', async () => {
    const { signUp, logIn, accounts } = await founded({ registrationMode: 'open' })
    const { id } = await signUp('Ann')
    await accounts.changeUser({ userId: 'user_x', role: 'admin' }, id, { disabled: true })
    const refused = await Promise.allSettled([logIn('Nobody'), logIn('Founder', 'wrong 1'), logIn('Ann')])
    expect(new Set(refused.map((one) => JSON.stringify(one)))).toHaveProperty('size', 1)
    expect(refused[0]).toMatchObject({ reason: { kind: 'unauthenticated', code: 'bad_credentials' } })
  })

  it('hashes the given password once, whether there is such an account or not', async () => {
    const { logIn, verified } = await founded()
    await expect(logIn('Nobody')).rejects.toThrow()
    await expect(logIn('Founder', 'wrong 1')).rejects.toThrow()
    await logIn('Founder')
    expect(verified).toEqual([undefined, expect.any(String), expect.any(String)])
  })
})
