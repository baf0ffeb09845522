import type { Clock } from '../../ports/clock.ts'

// What setTimeout can hold; anything longer would fire at once.
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** The clock of the machine. Delays may be of any length; the time the machine sleeps may not count towards them. */
export const createClock = (): Clock => ({
  now: Date.now,
  monotonic: () => performance.now(),
  after(delayMs, call) {
    const arm = (leftMs: number): NodeJS.Timeout => {
      const stepMs = Math.min(leftMs, LONGEST_TIMER_MS)
      const ring = stepMs < leftMs ? () => (timer = arm(leftMs - stepMs)) : call
      return setTimeout(ring, stepMs).unref()
    }
    let timer = arm(delayMs)
    return () => clearTimeout(timer)
  },
})
