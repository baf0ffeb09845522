import type { Clock } from '../../ports/clock.ts'

// The longest delay of setTimeout; a longer one would fire at once.
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** The clock of the machine. Delays may have any length; time in which the machine sleeps may not count. */
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
