import type { Clock } from '../ports/clock.ts'

const SECONDS = 60

/** Counts what happened in the last sixty seconds: a ring of a bucket per second, each stamped with its second. */
export const createMinute = (clock: Pick<Clock, 'monotonic'>) => {
  const counts = new Float64Array(SECONDS)
  const stamps = new Float64Array(SECONDS).fill(Number.NEGATIVE_INFINITY)
  const second = () => Math.floor(clock.monotonic() / 1_000)
  return {
    count() {
      const now = second()
      const at = now % SECONDS
      const before = stamps[at] === now ? (counts[at] ?? 0) : 0
      stamps[at] = now
      counts[at] = before + 1
    },
    /** Buckets of earlier rounds stay behind until their second comes again; their stamps give them away. */
    total(): number {
      const now = second()
      return counts.reduce((sum, count, at) => (now - (stamps[at] ?? 0) < SECONDS ? sum + count : sum), 0)
    },
  }
}
