import { describe, expect, it } from '@jest/globals'
import { entropy } from '../../lib/adapters/node/entropy.ts'
import type { Limit } from '../../lib/limits/limiter.ts'
import { callsRows, createLimiter } from '../../lib/limits/limiter.ts'
import { createFakeClock } from '../fakes/clock.ts'
import { forAllTests } from '../fakes/lifetimes.ts'
import { storeOpeners } from '../fakes/stores.ts'

/** Numbers in [0, 1) that are the same in each run (mulberry32). */
const seeded = (seed: number) => () => {
  seed = (seed + 0x6d2b79f5) | 0
  let n = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  n ^= n + Math.imul(n ^ (n >>> 7), 61 | n)
  return ((n ^ (n >>> 14)) >>> 0) / 4_294_967_296
}

/** The most that passed within any stretch of time of that length, wherever it begins. */
const mostWithin = (passed: readonly number[], lengthMs: number) => {
  let most = 0
  let first = 0
  for (const [at, time] of passed.entries()) {
    while (time - (passed[first] ?? 0) >= lengthMs) first += 1
    most = Math.max(most, at - first + 1)
  }
  return most
}

const burst: Limit = { name: 'burst', calls: 10, windowMs: 1_000 }
const login: Limit = { name: 'login', calls: 5, windowMs: 60_000 }
const many: Limit = { name: 'many', calls: 250, windowMs: 60_000 }

describe.each(storeOpeners([callsRows]))('over every window on %s', (_name, open) => {
  const clock = createFakeClock()
  const opened = forAllTests(
    () => open(clock),
    ({ close }) => close(),
  )
  const limiter = () => createLimiter({ store: opened().store, clock, entropy })

  /** Calls that come in bursts and at random; when they passed, and what the refused ones were told. */
  const arrivals = async (limit: Limit, count: number, seed: number) => {
    const random = seeded(seed)
    const { take } = limiter()
    const passed: number[] = []
    const refused: { at: number; wait: number; passedBefore: number }[] = []
    for (let n = 0; n < count; n += 1) {
      // Twice as many as may pass, in bursts, and now and then a pause of up to a window.
      const isPause = random() < 1 / (3 * limit.calls)
      clock.advance(Math.floor(random() * limit.windowMs * (isPause ? 1 : 1 / limit.calls)))
      const wait = await take(limit, `key${seed}`)
      if (wait === 0) passed.push(clock.now())
      else refused.push({ at: clock.now(), wait, passedBefore: passed.length })
    }
    return { passed, refused }
  }

  it.each([
    [burst, 600, 1],
    [login, 400, 2],
    [many, 900, 3],
  ])('of %j no more than the limit pass', async (limit, count, seed) => {
    const { passed, refused } = await arrivals(limit, count, seed)
    expect(mostWithin(passed, limit.windowMs)).toBe(limit.calls)
    expect(refused.length).toBeGreaterThan(count / 20)
  })

  it.each([
    [burst, 300, 4],
    [login, 300, 5],
  ])(
    'of %j nothing is refused that might pass, and what is refused is told the very moment',
    async (limit, count, seed) => {
      const { passed, refused } = await arrivals(limit, count, seed)
      for (const { at, wait, passedBefore } of refused)
        expect(at + wait).toBe((passed[passedBefore - limit.calls] ?? 0) + limit.windowMs)
    },
  )

  it('of a limit with many calls a hundredth of the window is all that is lost', async () => {
    const { passed, refused } = await arrivals(many, 900, 6)
    for (const { at, wait, passedBefore } of refused) {
      const earliest = (passed[passedBefore - many.calls] ?? 0) + many.windowMs
      expect(at + wait).toBeGreaterThanOrEqual(earliest)
      expect(at + wait).toBeLessThan(earliest + many.windowMs / 100)
    }
  })

  it('a boundary between two seconds lets no second ten through', async () => {
    const { take } = limiter()
    clock.advance(500)
    const waits: number[] = []
    for (let n = 0; n < 20; n += 1) {
      waits.push(await take(burst, 'edge'))
      clock.advance(n === 9 ? 990 : 1)
    }
    // Ten in 10 ms, then from 999 ms after the first on: one for each that has become a second old.
    expect(waits.map((wait) => wait === 0)).toEqual([
      ...Array.from({ length: 10 }, () => true),
      false,
      ...Array.from({ length: 9 }, () => true),
    ])
  })

  it('a call that comes as often as the limit says always passes', async () => {
    const { take } = limiter()
    const waits: number[] = []
    for (let n = 0; n < 150; n += 1) {
      waits.push(await take({ name: 'steady', calls: 60, windowMs: 60_000 }, 'steady'))
      clock.advance(1_000)
    }
    expect(new Set(waits)).toEqual(new Set([0]))
  })
})
