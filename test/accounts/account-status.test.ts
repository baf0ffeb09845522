import { describe, expect, it } from '@jest/globals'
import { createChangeAccountStatus } from '../../lib/accounts/account-status.ts'
import { createClock } from '../../lib/adapters/node/clock.ts'
import { entropy } from '../../lib/adapters/node/entropy.ts'
import type { Store } from '../../lib/ports/store.ts'
import { ADMIN, createWorld } from './world.ts'

const MANY = Array.from({ length: 40 }, (_, n) => `Person${n}`)

const withMany = async () => {
  const world = createWorld({ registrationMode: 'open' })
  const people = []
  for (const name of MANY) people.push(await world.signUp(name))
  return { ...world, ids: people.map(({ id }) => id) }
}

describe('what forty users may do', () => {
  it('is changed at once in one process', async () => {
    const { accounts, ids, everyUser } = await withMany()
    await Promise.all(ids.map((id) => accounts.changeUser(ADMIN, id, { role: 'admin' })))
    expect((await everyUser()).map(({ role }) => role)).toEqual(MANY.map(() => 'admin'))
  })

  it('is changed at once by several processes', async () => {
    const { store, ids, everyUser } = await withMany()
    const processes = Array.from({ length: 8 }, () =>
      createChangeAccountStatus({ store, clock: createClock(), entropy, canSignIn: async () => true }),
    )
    await Promise.all(ids.map((id, n) => processes[n % 8]?.(id, { role: 'admin' })))
    expect((await everyUser()).map(({ role }) => role)).toEqual(MANY.map(() => 'admin'))
  })
})

describe('a change of what a user may do', () => {
  it('that others are always faster than ends, and says when to come again', async () => {
    const { store, ids } = await withMany()
    const beaten: Store = {
      ...store,
      get: store.get.bind(store),
      commit: async () => ({ applied: false, row: undefined, refused: 0 }),
    }
    const soon = (_delayMs: number, go: () => void) => {
      setImmediate(go)
      return () => undefined
    }
    const clock = { ...createClock(), after: soon }
    const change = createChangeAccountStatus({ store: beaten, clock, entropy, canSignIn: async () => true })
    await expect(change(ids[1] ?? '', { role: 'admin' })).rejects.toMatchObject({
      kind: 'unavailable',
      code: 'users_busy',
      retryAfterMs: expect.any(Number),
    })
  })
})
