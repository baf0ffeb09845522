import { describe, expect, it } from '@jest/globals'
import { createWalk } from '../../lib/core/walk.ts'
import { createFakeClock } from '../fakes/clock.ts'

/** A walk over so many rows, which a place numbers, and those that it has seen. */
const openWalk = (rows: number, rowsAtOnce: number) => {
  const clock = createFakeClock()
  const reads: number[] = []
  const faults: { next?: Error | undefined } = {}
  const later: boolean[] = []
  const seen: number[] = []
  const walk = createWalk<number, number>({
    ...{ clock, rowsAtOnce },
    read: async ({ limit, after = 0 }) => {
      if (faults.next) throw faults.next
      reads.push(limit)
      const found = Array.from({ length: Math.min(limit, rows - after) }, (_, n) => after + n)
      return { rows: found, next: after + limit < rows ? after + limit : undefined }
    },
    visit: (found, isLater) => {
      seen.push(...found)
      later.push(isLater('2026-01-01T12:00:01.000Z'))
    },
  })
  return { walk, clock, reads, faults, later, seen }
}

describe('a walk over all rows', () => {
  it('sees every row once, so many with each call', async () => {
    const { walk, seen, reads } = openWalk(10, 4)
    expect([await walk(), await walk()]).toEqual([undefined, undefined])
    expect(await walk()).toEqual({ rows: 10, steps: 3 })
    expect(seen).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    expect(reads).toEqual([4, 4, 4])
  })

  it('reads a thousand at a time', async () => {
    const { walk, reads } = openWalk(3_500, 2_000)
    expect(await walk()).toBeUndefined()
    expect(await walk()).toEqual({ rows: 3_500, steps: 2 })
    expect(reads).toEqual([1_000, 1_000, 1_000, 1_000])
  })

  it('goes on where a read failed', async () => {
    const { walk, faults, seen } = openWalk(6, 4)
    await walk()
    faults.next = new Error('throttled')
    await expect(walk()).rejects.toThrow('throttled')
    faults.next = undefined
    expect(await walk()).toEqual({ rows: 6, steps: 2 })
    expect(seen).toEqual([0, 1, 2, 3, 4, 5])
  })

  it('takes for later what came after it began, and not what is still to come', async () => {
    const { walk, clock, later } = openWalk(3, 1)
    await walk()
    await walk()
    clock.advance(1_000)
    await walk()
    expect(later).toEqual([false, false, true])
  })

  it('does so from its first step on', async () => {
    const { walk, clock, later } = openWalk(1, 1)
    clock.advance(1_000)
    await walk()
    expect(later).toEqual([true])
  })
})
