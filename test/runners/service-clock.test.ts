import { describe, expect, it } from '@jest/globals'
import { createServiceClock } from '../../lib/app/runner/service-clock.ts'
import { createFakeClock } from '../fakes/clock.ts'

const SERVICE = Date.UTC(2026, 0, 1, 12)
const HOUR_MS = 3_600_000

/** A runner whose clock is ahead of that of its service, after an answer that took `tookMs` after the service had made it. */
const heard = (aheadMs: number, tookMs = 0) => {
  const own = createFakeClock(SERVICE + aheadMs)
  const { clock, hear } = createServiceClock(own)
  const askedAt = clock.monotonic()
  own.advance(tookMs)
  hear(SERVICE, askedAt)
  return { own, clock, hear }
}

describe('the clock of a runner', () => {
  it.each([0, 2 * HOUR_MS, -2 * HOUR_MS])('shows the time of its service from %s ms beside it', (aheadMs) => {
    const { own, clock } = heard(aheadMs)
    expect(clock.now()).toBe(SERVICE)
    own.advance(5_000)
    expect(clock.now()).toBe(SERVICE + 5_000)
    own.setWall(SERVICE + 9 * HOUR_MS)
    expect(clock.now()).toBe(SERVICE + 5_000)
  })

  it('is behind by at most what an answer took, and is set by a later one that was faster', () => {
    const { own, clock, hear } = heard(HOUR_MS, 2_000)
    expect(clock.now()).toBe(SERVICE)
    // The service made its answer 2 s ago; this one is new.
    const askedAt = clock.monotonic()
    own.advance(10)
    hear(SERVICE + 2_005, askedAt)
    expect(clock.now()).toBe(SERVICE + 2_005)
  })

  it('stays where an answer agrees with it', () => {
    const { own, clock, hear } = heard(0)
    const askedAt = clock.monotonic()
    own.advance(25_000)
    hear(SERVICE + 10, askedAt)
    expect(clock.now()).toBe(SERVICE + 25_000)
  })
})
