import { beforeEach, describe, expect, it } from '@jest/globals'
import type { Totals } from '../../lib/core/drift.ts'
import { createJudge, type Finding } from '../../lib/core/judge.ts'
import { createQuietCheck, type View } from '../../lib/core/quiet-check.ts'
import { createFakeClock } from '../fakes/clock.ts'

const HOUR_MS = 3_600_000
const RIGHT: Finding = { drift: {} }
const WRONG: Finding = { drift: { all: { total: 1 } } }

/** A check of totals that are what the test says, as are a look, a count and how many calls that takes. */
const openCheck = () => {
  const clock = createFakeClock()
  const world = {
    totals: { total: 1 } as Totals,
    view: { count: 'when due', rows: 0 } as View,
    ...{ finding: RIGHT, steps: 1, rows: 1, looks: 0, begun: 0 },
    corrected: [] as number[],
  }
  const tick = createQuietCheck<Finding>({
    clock,
    read: async () => world.totals,
    look: async () => {
      world.looks += 1
      return world.view
    },
    begin: async () => {
      world.begun += 1
      const { steps, rows } = world
      let step = 0
      return async () => {
        step += 1
        return step < steps ? undefined : { ...world.finding, rows, steps }
      }
    },
    judge: createJudge({ correct: async (_, number) => void world.corrected.push(number) }),
  })
  const ticks = async (times: number, everyMs = 1_000) => {
    for (let n = 0; n < times; n += 1) {
      clock.advance(everyMs)
      await tick()
    }
  }
  return { world, clock, ticks }
}

let { world, clock, ticks } = openCheck()
beforeEach(() => {
  ;({ world, clock, ticks } = openCheck())
})

describe('a check of totals', () => {
  it('looks at nothing while they change', async () => {
    for (let total = 0; total < 5; total += 1) {
      world.totals = { total }
      await ticks(1)
    }
    expect(world).toMatchObject({ looks: 0, begun: 0 })
  })

  it('counts once they were the same twice, whatever the order of their names', async () => {
    world.totals = { a: 1, b: 2 }
    await ticks(1)
    world.totals = { b: 2, a: 1 }
    await ticks(1)
    expect(world).toMatchObject({ looks: 1, begun: 1 })
  })

  it('counts again after an hour when a count found all right, or later where there is more', async () => {
    await ticks(2)
    await ticks(9)
    expect(world.begun).toBe(1)
    world.rows = 20_000
    clock.advance(HOUR_MS)
    await ticks(1)
    expect(world.begun).toBe(2)
    clock.advance(HOUR_MS)
    await ticks(1)
    expect(world.begun).toBe(2)
    clock.advance(HOUR_MS)
    await ticks(1)
    expect(world.begun).toBe(3)
  })

  it('counts at once when the look says so, and not even what is due when that has to wait', async () => {
    world.view = { count: 'later', rows: 0 }
    await ticks(5)
    expect(world.begun).toBe(0)
    world.view = { count: 'when due', rows: 0 }
    await ticks(5)
    expect(world.begun).toBe(1)
    world.view = { count: 'now', rows: 0 }
    await ticks(1)
    expect(world.begun).toBe(2)
  })

  it('waits after a look for as long as that has cost', async () => {
    world.view = { count: 'later', rows: 100 }
    await ticks(2)
    await ticks(4)
    expect(world.looks).toBe(1)
    await ticks(1)
    expect(world.looks).toBe(2)
  })

  it('does not repeat at once a count that found all right, whatever the look says', async () => {
    Object.assign(world, { view: { count: 'now', rows: 0 }, rows: 500 })
    await ticks(2 + 4)
    expect(world.begun).toBe(1)
    await ticks(1)
    expect(world.begun).toBe(2)
  })

  it('counts again what a count has found, although nothing else speaks for it', async () => {
    await ticks(2)
    Object.assign(world, { view: { count: 'now', rows: 0 }, finding: WRONG })
    await ticks(1)
    world.view = { count: 'when due', rows: 0 }
    await ticks(1)
    expect(world).toMatchObject({ begun: 3, corrected: [0] })
  })

  it('goes on with a count while the totals change', async () => {
    world.steps = 3
    await ticks(2)
    world.totals = { total: 2 }
    await ticks(2)
    expect(world).toMatchObject({ looks: 1, begun: 1 })
  })

  it('corrects what two counts have found in a row', async () => {
    world.totals = { total: 1, corrections: 4 }
    world.finding = WRONG
    await ticks(2)
    expect(world.corrected).toEqual([])
    await ticks(1)
    expect(world.corrected).toEqual([4])
  })

  it('takes what it finds in other totals for another difference, but in a longer count', async () => {
    world.finding = WRONG
    await ticks(2)
    world.totals = { total: 2 }
    await ticks(2)
    expect(world.corrected).toEqual([])
    world.steps = 2
    await ticks(2)
    expect(world.corrected).toEqual([])
    world.totals = { total: 3 }
    await ticks(1 + 2)
    expect(world.corrected).toEqual([0])
  })

  it('does not judge what somebody else has corrected during the count', async () => {
    Object.assign(world, { finding: WRONG, steps: 2 })
    await ticks(2 + 1)
    await ticks(1)
    world.totals = { total: 1, corrections: 1 }
    await ticks(1)
    expect(world).toMatchObject({ begun: 2, corrected: [] })
  })
})
