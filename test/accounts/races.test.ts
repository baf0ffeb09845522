import { describe, expect, it } from '@jest/globals'
import type { User } from '../../lib/accounts/schema.ts'
import { createFakeIds } from '../fakes/ids.ts'
import { forAllTests } from '../fakes/lifetimes.ts'
import { storages } from './storages.ts'
import { ADMIN, count, createWorld, outcomes } from './world.ts'

const TWENTY = Array.from({ length: 20 }, (_, n) => `Person${n}`)

describe.each(storages)('accounts on %s', (_name, open) => {
  const medium = forAllTests(open, ({ close }) => close())

  /** Two processes on one storage; each person asks one of them. */
  const twoProcesses = async (options: Parameters<typeof createWorld>[0] = {}) => {
    const { store, again } = await medium().fresh()
    const ids = createFakeIds()
    const processes = [
      createWorld({ store, ids, ...options }),
      createWorld({ store: again(), ids, ...options }),
    ]
    const [one] = processes
    if (one === undefined) throw new Error('no process')
    const of = (n: number) => processes[n % 2] ?? one
    return { one, of }
  }

  it('have exactly one first admin of twenty who come at once', async () => {
    const { one, of } = await twoProcesses({ registrationMode: 'open' })
    const made = await Promise.all(TWENTY.map((name, n) => of(n).signUp(name)))
    expect(
      count(
        made.map(({ role }) => role),
        'admin',
      ),
    ).toBe(1)
    expect(await one.everyUser()).toHaveLength(20)
  })

  it('are one account when by invite twenty come at once', async () => {
    const { one, of } = await twoProcesses()
    const came = await outcomes(TWENTY.map((name, n) => of(n).signUp(name)))
    expect(count(came, 'invite_required')).toBe(19)
    expect(await one.everyUser()).toMatchObject([{ role: 'admin' }])
  })

  it.each(['open', 'invite'] as const)('are one for one address, in mode %s', async (registrationMode) => {
    const { one, of } = await twoProcesses({ registrationMode })
    await one.signUp('Founder')
    const codes = await Promise.all(TWENTY.map(() => one.invite()))
    const came = await outcomes(
      TWENTY.map((name, n) => of(n).signUp(name, { email: 'Ann@example.com', inviteCode: codes[n] ?? '' })),
    )
    expect(count(came, 'email_taken')).toBe(19)
    expect(await one.everyUser()).toHaveLength(2)
    const winner = came.find((each): each is User => typeof each === 'object')
    expect(await one.logIn('Ann')).toEqual(winner)
    // The nineteen invites that made no account are there for others.
    const { invites } = await one.accounts.invites.list({ limit: 50 })
    expect(invites.filter(({ usedBy }) => usedBy !== undefined)).toHaveLength(
      registrationMode === 'open' ? 0 : 1,
    )
  })

  it('come of one invite once', async () => {
    const { one, of } = await twoProcesses()
    await one.signUp('Founder')
    const inviteCode = await one.invite()
    const came = await outcomes(TWENTY.map((name, n) => of(n).signUp(name, { inviteCode })))
    expect(count(came, 'invalid_invite')).toBe(19)
    const made = await one.everyUser()
    expect(made).toHaveLength(2)
    const { invites } = await one.accounts.invites.list({ limit: 50 })
    expect(invites).toMatchObject([{ usedBy: made.find(({ role }) => role === 'user')?.id }])
  })

  it('leave an invite used that one address came with twenty times at once', async () => {
    const { one, of } = await twoProcesses()
    await one.signUp('Founder')
    const inviteCode = await one.invite()
    const email = 'ann@example.com'
    const came = await outcomes(TWENTY.map((name, n) => of(n).signUp(name, { email, inviteCode })))
    expect(count(came, 'email_taken')).toBe(19)
    await expect(one.signUp('Bob', { inviteCode })).rejects.toMatchObject({ code: 'invalid_invite' })
  })

  it.each([{ role: 'user' as const }, { disabled: true }])(
    'keep an admin when two do this to each other at once: %j',
    async (wanted) => {
      for (let round = 0; round < 5; round++) {
        const { one, of } = await twoProcesses({ registrationMode: 'open' })
        const { id: ann } = await one.signUp('Ann')
        const { id: bob } = await one.signUp('Bob')
        await one.accounts.changeUser(ADMIN, bob, { role: 'admin' })
        const came = await outcomes([
          of(0).accounts.changeUser(ADMIN, ann, wanted),
          of(1).accounts.changeUser(ADMIN, bob, wanted),
        ])
        expect(count(came, 'last_admin')).toBe(1)
        const left = (await one.everyUser()).filter(({ role, disabled }) => role === 'admin' && !disabled)
        expect(left).toHaveLength(1)
      }
    },
  )

  it('give the same account to a person who comes from a provider twenty times at once', async () => {
    const { one, of } = await twoProcesses({ registrationMode: 'open' })
    await one.signUp('Founder')
    const person = { email: 'ann@example.com', emailVerified: true, name: 'Ann' }
    const came = await Promise.all(TWENTY.map((_, n) => of(n).accounts.findOrCreateUser(person)))
    expect(new Set(came.map(({ user }) => user.id)).size).toBe(1)
    expect(came.filter(({ isNew }) => isNew)).toHaveLength(1)
  })
})
