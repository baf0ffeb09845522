import { describe, expect, it } from '@jest/globals'
import type { User } from '../../lib/accounts/schema.ts'
import { seededRandom, upTo } from '../crash/random.ts'
import { createFakeIds } from '../fakes/ids.ts'
import { forAllTests } from '../fakes/lifetimes.ts'
import { mortal, slow, storages } from './storages.ts'
import { ADMIN, createWorld, outcomes } from './world.ts'

describe.each(storages)('on %s, after a process that died between two writes,', (_name, open) => {
  const medium = forAllTests(open, ({ close }) => close())

  /** A process that dies at the commit that `dies` says, and the one that comes after it. */
  const afterDeath = async (options: Parameters<typeof createWorld>[0] = {}) => {
    const { store, again } = await medium().fresh()
    const ids = createFakeIds()
    let left = Number.POSITIVE_INFINITY
    const dying = createWorld({ ...options, ids, store: mortal(store, () => left-- <= 0) })
    const next = createWorld({ ...options, ids, store: again() })
    /** Lets so many commits pass before the next one is the last. */
    const dieAfter = (commits: number) => {
      left = commits
    }
    return { dying, next, dieAfter }
  }

  it.each([0, 1, 2])(
    'the first account is made whole, and is the only admin (%i writes on)',
    async (commits) => {
      const { dying, next, dieAfter } = await afterDeath()
      dieAfter(commits)
      await expect(dying.signUp('Ann')).rejects.toThrow('died')
      await expect(next.signUp('Bob')).rejects.toMatchObject({ code: 'invite_required' })
      expect(await next.logIn('Ann')).toMatchObject({ name: 'Ann', role: 'admin' })
      expect(await next.everyUser()).toHaveLength(1)
    },
  )

  it('the first admin may log in at once, without another signup in between', async () => {
    const { dying, next, dieAfter } = await afterDeath()
    dieAfter(0)
    await expect(dying.signUp('Ann')).rejects.toThrow('died')
    expect((await next.logIn('Ann')).role).toBe('admin')
  })

  it('an account is made whole when its owner logs in', async () => {
    const { dying, next, dieAfter } = await afterDeath({ registrationMode: 'open' })
    await dying.signUp('Founder')
    dieAfter(0)
    await expect(dying.signUp('Ann')).rejects.toThrow('died')
    await expect(next.signUp('Ann')).rejects.toMatchObject({ code: 'email_taken' })
    const { id } = await next.logIn('Ann')
    expect(await next.accounts.standingOf(id)).toEqual({ role: 'user', disabled: false })
    expect((await next.everyUser()).map(({ name }) => name)).toEqual(['Ann', 'Founder'])
  })

  it('an invite that was used and made nothing yet works for the same address, and for no other', async () => {
    const { dying, next, dieAfter } = await afterDeath()
    await dying.signUp('Founder')
    const inviteCode = await dying.invite()
    dieAfter(0)
    await expect(dying.signUp('Ann', { inviteCode })).rejects.toThrow('died')
    await expect(next.signUp('Bob', { inviteCode })).rejects.toMatchObject({ code: 'invalid_invite' })
    const { id } = await next.signUp('Ann', { inviteCode })
    const { invites } = await next.accounts.invites.list({ limit: 50 })
    expect(invites).toMatchObject([{ usedBy: id }])
  })

  it('a change of role holds, and is there for all to see after the next one', async () => {
    const { dying, next, dieAfter } = await afterDeath({ registrationMode: 'open' })
    const ann = await dying.signUp('Ann')
    const bob = await dying.signUp('Bob')
    await dying.accounts.changeUser(ADMIN, bob.id, { role: 'admin' })
    dieAfter(1)
    await expect(dying.accounts.changeUser(ADMIN, ann.id, { role: 'user' })).rejects.toThrow('died')
    await expect(next.accounts.changeUser(ADMIN, bob.id, { disabled: true })).rejects.toMatchObject({
      code: 'last_admin',
    })
    expect(await next.accounts.standingOf(ann.id)).toEqual({ role: 'user', disabled: false })
  })

  it('and of one that is slow, what comes late does not undo what was decided since', async () => {
    const { store, again } = await medium().fresh()
    const ids = createFakeIds()
    const next = createWorld({ ids, store: again(), registrationMode: 'open' })
    await next.signUp('Ann')
    const bob = await next.signUp('Bob')
    const late = slow(store)
    await createWorld({ ids, store: late.store }).accounts.changeUser(ADMIN, bob.id, { role: 'admin' })
    await next.accounts.changeUser(ADMIN, bob.id, { role: 'user', disabled: true })
    await late.release()
    expect(await next.accounts.standingOf(bob.id)).toEqual({ role: 'user', disabled: true })
  })

  it('and with many that die, changes at once leave the roster and the users in agreement', async () => {
    for (let seed = 1; seed <= 8; seed++) {
      const random = seededRandom(seed)
      const { store, again } = await medium().fresh()
      const ids = createFakeIds()
      const founding = createWorld({ store, ids, registrationMode: 'open' })
      const people: User[] = []
      for (const name of ['Ann', 'Bob', 'Cid']) people.push(await founding.signUp(name))
      const change = () => {
        const { accounts } = createWorld({ ids, store: mortal(again(), () => random() < 0.2) })
        const wanted =
          random() < 0.5
            ? { role: random() < 0.5 ? ('user' as const) : ('admin' as const) }
            : { disabled: random() < 0.5 }
        return accounts.changeUser(ADMIN, people[upTo(2, random)]?.id ?? '', wanted)
      }
      for (let round = 0; round < 6; round++) await outcomes([change(), change(), change()])
      // One more change completes what the last one left.
      await outcomes(people.map(({ id }) => founding.accounts.changeUser(ADMIN, id, { disabled: true })))
      const enabled = (await founding.everyUser()).filter(
        ({ role, disabled }) => role === 'admin' && !disabled,
      )
      expect(enabled).toHaveLength(1)
    }
  })
})
