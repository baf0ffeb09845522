import { beforeEach, describe, expect, it } from '@jest/globals'
import { Problem } from '../../lib/core/errors.ts'
import type { Store } from '../../lib/ports/store.ts'
import { createCorrections } from '../../lib/tasks/corrections.ts'
import { databaseForTests } from '../fakes/database.ts'
import { createFakeLog } from '../fakes/log.ts'
import { openWorld, type World } from './reconcile-world.ts'

const AGE_MS = 600_000

const database = databaseForTests()
let world: World
beforeEach(async () => {
  world = await openWorld(database().client)
})

/** Corrects as a tick of its own does, which died before the totals where it is `dead`. */
const correct = (of: string, number: number, isDead = false) => {
  const dying: Store = Object.assign(Object.create(world.store), {
    commit: (...[head]: Parameters<Store['commit']>) => world.store.commit(head),
  })
  const { clock, store } = world
  const tallies = [{ tally: of, member: 'all', add: { total: 1 } }]
  const corrections = createCorrections({ store: isDead ? dying : store, clock, log: createFakeLog() })
  return corrections({ of, number, drift: {}, message: 'total 1', tallies })
}
/** Corrections of one process, whose storage takes a row and refuses the totals so many times. */
const refusing = (of: string, times: number) => {
  let left = times
  const store: Store = Object.assign(Object.create(world.store), {
    commit: async (...change: Parameters<Store['commit']>) => {
      if (left-- <= 0) return world.store.commit(...change)
      await world.store.commit(change[0])
      throw new Problem('unavailable', 'storage_unavailable', 'not now')
    },
  })
  const tallies = [{ tally: of, member: 'all', add: { total: 1 } }]
  const make = createCorrections({ store, clock: world.clock, log: createFakeLog() })
  return () => make({ of, number: 0, drift: {}, message: 'total 1', tallies })
}
const total = async (of: string) => (await world.store.tallies(of)).all?.total ?? 0

describe('a correction', () => {
  it.each([0, 1, 599_999])(
    'is made once of two that straddle any moment: %i ms into ten minutes',
    async (ms) => {
      world.clock.advance(ms)
      await correct('straddled', 0)
      world.clock.advance(1)
      await correct('straddled', 0)
      world.clock.advance(AGE_MS - 2)
      await correct('straddled', 0)
      expect(await total('straddled')).toBe(1)
    },
  )

  it('is made once of two at once', async () => {
    await Promise.all([correct('once', 0), correct('once', 0)])
    expect(await total('once')).toBe(1)
  })

  it('is made again under its next number, and of other totals', async () => {
    await correct('numbers', 0)
    await correct('numbers', 1)
    await correct('others', 0)
    expect([await total('numbers'), await total('others')]).toEqual([2, 1])
  })

  it('that died before its totals is repeated in ten minutes and not before, once of two at once', async () => {
    await correct('dead', 0, true)
    world.clock.advance(AGE_MS - 1)
    await correct('dead', 0)
    expect(await total('dead')).toBe(0)
    world.clock.advance(1)
    await Promise.all([correct('dead', 0), correct('dead', 0)])
    expect(await total('dead')).toBe(1)
  })

  it('of which storage took the row only is made by who began it at the next look, and by nobody else', async () => {
    const again = refusing('refused', 2)
    await expect(again()).rejects.toMatchObject({ code: 'storage_unavailable' })
    world.clock.advance(1_000)
    await correct('refused', 0)
    expect(await total('refused')).toBe(0)
    await expect(again()).rejects.toThrow()
    world.clock.advance(1_000)
    await again()
    world.clock.advance(1_000)
    await again()
    expect(await total('refused')).toBe(1)
  })

  it('whose repetition died too is repeated once more', async () => {
    await correct('twice', 0, true)
    world.clock.advance(AGE_MS)
    await correct('twice', 0, true)
    world.clock.advance(AGE_MS - 1)
    await correct('twice', 0)
    expect(await total('twice')).toBe(0)
    world.clock.advance(1)
    await correct('twice', 0)
    expect(await total('twice')).toBe(1)
  })
})
