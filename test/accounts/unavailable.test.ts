import { describe, expect, it } from '@jest/globals'
import type { User } from '../../lib/accounts/schema.ts'
import { type LinkedAccountRow, linkedAccounts } from '../../lib/oauth/rows.ts'
import type { Insert } from '../../lib/ports/store.ts'
import { seededRandom, upTo } from '../crash/random.ts'
import { createFakeIds } from '../fakes/ids.ts'
import { forAllTests } from '../fakes/lifetimes.ts'
import { faulty, storages } from './storages.ts'
import { ADMIN, createWorld, outcomes } from './world.ts'

const ANN = { email: 'ann@example.com', emailVerified: true, name: 'Ann' }
const UNAVAILABLE = { kind: 'unavailable', code: 'storage_unavailable' }
type Options = Parameters<typeof createWorld>[0]

const linkWrite =
  (id: string) =>
  async (userId: string): Promise<Insert<LinkedAccountRow>> => ({
    insert: linkedAccounts,
    row: {
      id,
      userId,
      provider: 'codehost',
      realm: 'https://codehost.example',
      linkedAt: 'now',
      scopes: [],
      version: 0,
      ended: false,
    },
  })

describe.each(storages)('while storage on %s is not available once,', (_name, open) => {
  const medium = forAllTests(open, ({ close }) => close())

  /** A service whose next commit fails when `failNext` says so. */
  const unreliable = async (options: Options = {}) => {
    const { store, again } = await medium().fresh()
    let failure: 'before' | 'after' | undefined
    const failing = faulty(store, () => {
      const now = failure
      failure = undefined
      return now
    })
    const failNext = (when: typeof failure) => {
      failure = when
    }
    return { ...createWorld({ ...options, store: failing }), failNext, again }
  }

  it('the first account is made when its owner asks again', async () => {
    const { signUp, everyUser, failNext } = await unreliable()
    failNext('before')
    await expect(signUp('Ann')).rejects.toMatchObject(UNAVAILABLE)
    expect(await signUp('Ann')).toMatchObject({ role: 'admin' })
    expect(await everyUser()).toHaveLength(1)
  })

  it('the first account is there, and is the only admin, although its owner was not told', async () => {
    const { signUp, logIn, everyUser, failNext } = await unreliable({ registrationMode: 'open' })
    failNext('after')
    await expect(signUp('Ann')).rejects.toMatchObject(UNAVAILABLE)
    await expect(signUp('Ann')).rejects.toMatchObject({ code: 'email_taken' })
    expect(await logIn('Ann')).toMatchObject({ role: 'admin' })
    expect(await signUp('Bob')).toMatchObject({ role: 'user' })
    expect(await everyUser()).toHaveLength(2)
  })

  it('an invite is used when an account was made with it, and else not', async () => {
    const { signUp, invite, accounts, failNext } = await unreliable()
    await signUp('Founder')
    const inviteCode = await invite()
    failNext('before')
    await expect(signUp('Ann', { inviteCode })).rejects.toMatchObject(UNAVAILABLE)
    const used = async () => (await accounts.invites.list({ limit: 50 })).invites.map(({ usedBy }) => usedBy)
    expect(await used()).toEqual([undefined])
    failNext('after')
    await expect(signUp('Ann', { inviteCode })).rejects.toMatchObject(UNAVAILABLE)
    await expect(signUp('Ann', { inviteCode })).rejects.toMatchObject({ code: 'email_taken' })
    await expect(signUp('Bob', { inviteCode })).rejects.toMatchObject({ code: 'invalid_invite' })
    expect(await used()).toEqual([expect.stringMatching(/^user_/)])
  })

  it('an account that a provider vouches for is made with its link, or not at all', async () => {
    const { accounts, store, everyUser, failNext } = await unreliable()
    failNext('before')
    await expect(accounts.findOrCreateUser(ANN, linkWrite('one'))).rejects.toMatchObject(UNAVAILABLE)
    expect(await store.get(linkedAccounts, 'one')).toBeUndefined()
    const { user, isNew } = await accounts.findOrCreateUser(ANN, linkWrite('one'))
    expect([isNew, (await store.get(linkedAccounts, 'one'))?.userId]).toEqual([true, user.id])
    const bob = { ...ANN, email: 'bob@example.com', invite: '' }
    await expect(accounts.findOrCreateUser(bob, linkWrite('two'))).rejects.toMatchObject({
      code: 'invite_required',
    })
    expect(await everyUser()).toHaveLength(1)
  })

  it('an account elsewhere that was linked to another user in between makes no account here', async () => {
    const { accounts, signUp, settings, store, everyUser } = await unreliable()
    await signUp('Founder')
    settings.registrationMode = 'open'
    await store.commit(await linkWrite('one')('user_other'))
    await expect(accounts.findOrCreateUser(ANN, linkWrite('one'))).rejects.toMatchObject({
      code: 'registration_busy',
    })
    expect(await everyUser()).toHaveLength(1)
  })

  it('a change of role holds for user and roster, or for neither', async () => {
    const { signUp, accounts, failNext } = await unreliable({ registrationMode: 'open' })
    const [ann, bob] = [await signUp('Ann'), await signUp('Bob')]
    await accounts.changeUser(ADMIN, bob.id, { role: 'admin' })
    failNext('before')
    await expect(accounts.changeUser(ADMIN, ann.id, { role: 'user' })).rejects.toMatchObject(UNAVAILABLE)
    expect(await accounts.readAccountStatus(ann.id)).toEqual({ role: 'admin', disabled: false })
    failNext('after')
    await expect(accounts.changeUser(ADMIN, ann.id, { role: 'user' })).rejects.toMatchObject(UNAVAILABLE)
    expect(await accounts.readAccountStatus(ann.id)).toEqual({ role: 'user', disabled: false })
    await expect(accounts.changeUser(ADMIN, bob.id, { disabled: true })).rejects.toMatchObject({
      code: 'last_admin',
    })
    expect(await accounts.changeUser(ADMIN, ann.id, { role: 'user' })).toMatchObject({ role: 'user' })
  })

  it('and often, changes at once leave one admin, in the roster and among the users', async () => {
    for (let seed = 1; seed <= 8; seed++) {
      const random = seededRandom(seed)
      const { store, again } = await medium().fresh()
      const ids = createFakeIds()
      const founding = createWorld({ store, ids, registrationMode: 'open' })
      const people: User[] = []
      for (const name of ['Ann', 'Bob', 'Cid']) people.push(await founding.signUp(name))
      const fails = () => (random() < 0.2 ? (random() < 0.5 ? 'before' : 'after') : undefined)
      const change = () => {
        const { accounts } = createWorld({ ids, store: faulty(again(), fails) })
        const wanted =
          random() < 0.5
            ? { role: random() < 0.5 ? ('user' as const) : ('admin' as const) }
            : { disabled: random() < 0.5 }
        return accounts.changeUser(ADMIN, people[upTo(2, random)]?.id ?? '', wanted)
      }
      for (let round = 0; round < 6; round++) await outcomes([change(), change(), change()])
      await outcomes(people.map(({ id }) => founding.accounts.changeUser(ADMIN, id, { disabled: true })))
      const enabled = (await founding.everyUser()).filter(
        ({ role, disabled }) => role === 'admin' && !disabled,
      )
      expect(enabled).toHaveLength(1)
    }
  })
})
