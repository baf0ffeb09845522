import { createHeap } from '../../lib/core/heap.ts'
import type { Clock } from '../../lib/ports/clock.ts'

type Timer = { dueAt: number; order: number; call: () => void }

/** A clock that stands still until it is told otherwise. */
export type FakeClock = Clock & {
  /** Lets time pass: due timers fire in order, each at its own moment, those they set included. */
  advance(ms: number): void
  /** Sets the wall clock without letting time pass, forwards or back; timers and `monotonic` do not notice. */
  setWall(epochMs: number): void
  /** Timers that have neither fired nor been cancelled. */
  readonly pending: number
}

/** A clock that starts at noon of 1 January 2026 UTC, with `monotonic` at 0. */
export const createFakeClock = (startMs = Date.UTC(2026, 0, 1, 12)): FakeClock => {
  const timers = createHeap<Timer>((a, b) => a.dueAt < b.dueAt || (a.dueAt === b.dueAt && a.order < b.order))
  const live = new Set<Timer>()
  let offset = startMs
  let passed = 0
  let set = 0
  return {
    now: () => offset + passed,
    monotonic: () => passed,
    after(delayMs, call) {
      const timer = { dueAt: passed + Math.max(0, delayMs), order: set++, call }
      timers.push(timer)
      live.add(timer)
      return () => void live.delete(timer)
    },
    advance(ms) {
      const until = passed + ms
      for (let next = timers.peek(); next && next.dueAt <= until; next = timers.peek()) {
        timers.pop()
        if (!live.delete(next)) continue
        passed = Math.max(passed, next.dueAt)
        next.call()
      }
      passed = until
    },
    setWall(epochMs) {
      offset = epochMs - passed
    },
    get pending() {
      return live.size
    },
  }
}
