import { describe, expect, it } from '@jest/globals'
import { createClock } from '../../lib/adapters/node/clock.ts'
import { entropy } from '../../lib/adapters/node/entropy.ts'
import type { Limit } from '../../lib/limits/limiter.ts'
import { callsRows, createLimiter } from '../../lib/limits/limiter.ts'
import type { Store } from '../../lib/ports/store.ts'
import { insist } from '../crash/insist.ts'
import { createFakeClock } from '../fakes/clock.ts'
import { forAllTests } from '../fakes/lifetimes.ts'
import { storeOpeners } from '../fakes/stores.ts'

const minute = { name: 'login', calls: 3, windowMs: 60_000 }

describe.each(storeOpeners([callsRows]))('a limit on %s', (_name, open) => {
  const clock = createFakeClock()
  // Whoever loses a race waits a moment, which passes while the time of day stands still.
  const { after } = createClock()
  const opened = forAllTests(
    () => open(clock),
    ({ close }) => close(),
  )
  /** Another process each time. */
  const limiter = (store = opened().store, wait = after) =>
    createLimiter({ store, clock: { ...clock, after: wait }, entropy })

  const take = async (times: number, key: string, limit: Limit = minute) => {
    const waits: number[] = []
    for (let n = 0; n < times; n += 1) waits.push(await limiter().take(limit, key))
    return waits
  }

  it('lets its calls pass and tells all others how long to wait, of whatever process they are', async () => {
    expect(await take(5, 'ann')).toEqual([0, 0, 0, 60_000, 60_000])
  })

  it('lets one call pass for each that has become as old as the window', async () => {
    await take(1, 'bob')
    clock.advance(45_000)
    expect(await take(3, 'bob')).toEqual([0, 0, 15_000])
    clock.advance(14_999)
    expect(await take(1, 'bob')).toEqual([1])
    clock.advance(1)
    expect(await take(2, 'bob')).toEqual([0, 45_000])
  })

  it('does not count what it refuses, so that who asks on and on is let in in time', async () => {
    await take(3, 'cat')
    for (let n = 0; n < 59; n += 1) {
      clock.advance(1_000)
      expect(await take(1, 'cat')).toEqual([59_000 - n * 1_000])
    }
    clock.advance(1_000)
    expect(await take(1, 'cat')).toEqual([0])
  })

  it('counts each key and each name for itself', async () => {
    await take(4, 'cid')
    expect(await take(1, 'dan')).toEqual([0])
    expect(await take(1, 'cid', { ...minute, name: 'signup' })).toEqual([0])
  })

  it('takes a call back while its window lasts, and no more than that', async () => {
    await limiter().giveBack(minute, 'fay')
    expect(await take(3, 'fay')).toEqual([0, 0, 0])
    await limiter().giveBack(minute, 'fay')
    expect(await take(2, 'fay')).toEqual([0, 60_000])
    clock.advance(60_000)
    await limiter().giveBack(minute, 'fay')
    expect(await take(4, 'fay')).toEqual([0, 0, 0, 60_000])
  })

  it('takes back the oldest call, so that what stays counts for no shorter than it should', async () => {
    await take(1, 'gus')
    clock.advance(50_000)
    await take(2, 'gus')
    await limiter().giveBack(minute, 'gus')
    clock.advance(10_000)
    expect(await take(2, 'gus')).toEqual([0, 50_000])
  })

  it('that became smaller waits until so many calls have fallen out', async () => {
    for (let n = 0; n < 3; n += 1) {
      await take(1, 'hal')
      clock.advance(1_000)
    }
    expect(await take(1, 'hal', { ...minute, calls: 1 })).toEqual([59_000])
    expect(await take(1, 'hal', { ...minute, calls: 2 })).toEqual([58_000])
  })

  it('locks no caller out for long when the clock was set back, and admits none too many when it differs a little', async () => {
    await take(3, 'ida')
    clock.setWall(clock.now() - 10_000)
    expect(await take(1, 'ida')).toEqual([70_000])
    clock.setWall(clock.now() - 7_200_000)
    expect(await take(4, 'ida')).toEqual([0, 0, 0, 60_000])
  })

  it.each([1, 7, 40])('of %i lets exactly its calls pass when 50 come at once', async (calls) => {
    const limit = { ...minute, calls }
    const one = limiter()
    const ofOneProcess = Array.from({ length: 50 }, () => one.take(limit, `one${calls}`))
    const ofMany = Array.from({ length: 50 }, () => insist(() => limiter().take(limit, `many${calls}`)))
    for (const all of [ofOneProcess, ofMany]) {
      const waits = await Promise.all(all)
      expect(waits.filter((wait) => wait === 0)).toHaveLength(calls)
      expect(new Set(waits)).toEqual(new Set([0, 60_000]))
    }
  })

  it('takes back what came back at once, each call for itself', async () => {
    const limit = { ...minute, calls: 20 }
    await Promise.all(Array.from({ length: 20 }, () => insist(() => limiter().take(limit, 'joy'))))
    await Promise.all(Array.from({ length: 10 }, () => insist(() => limiter().giveBack(limit, 'joy'))))
    const waits = await Promise.all(
      Array.from({ length: 20 }, () => insist(() => limiter().take(limit, 'joy'))),
    )
    expect(waits.filter((wait) => wait === 0)).toHaveLength(10)
  })

  /** The store as a limiter uses it, with other writes. */
  const writing = (commit: Store['commit']): Store => {
    const { store } = opened()
    return { ...store, get: store.get.bind(store), commit }
  }

  it('writes once for each call that passes, and not for one that is refused', async () => {
    let writes = 0
    const { take: takeOne } = limiter(
      writing((head) => {
        writes += 1
        return opened().store.commit(head)
      }),
    )
    await Promise.all(Array.from({ length: 50 }, () => takeOne(minute, 'kim')))
    expect(writes).toBe(minute.calls)
  })

  it('is unavailable for a second to who loses race after race', async () => {
    let writes = 0
    const { take: takeOne } = limiter(
      writing(async () => {
        writes += 1
        return { applied: false, row: undefined, refused: 0 }
      }),
      (_ms, call) => after(0, call),
    )
    await expect(takeOne(minute, 'lea')).rejects.toMatchObject({
      kind: 'unavailable',
      code: 'limit_busy',
      retryAfterMs: 1_000,
    })
    expect(writes).toBeGreaterThan(5)
  })
})
