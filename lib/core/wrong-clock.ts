// A clock that ran ahead for a while leaves times in storage that are later than their rules allow.

/** A difference of clocks that no rule corrects: those of several machines differ, and small steps pass by themselves. */
const CLOCKS_DIFFER_MS = 600_000

export const CORRECTED = 'a time that was stored under a clock ahead was computed anew'

/** Whether a time is later than the latest one that its rule allows now. All are epoch milliseconds. */
export const isTooLate = (atMs: number, latestMs: number): boolean => atMs > latestMs + CLOCKS_DIFFER_MS

/** The first time that is too late for a rule; for ranges of ISO times. */
export const tooLateFrom = (latestMs: number): string =>
  new Date(latestMs + CLOCKS_DIFFER_MS + 1).toISOString()

/** Whether a lease of `leaseMs` holds. A later end was set under a clock ahead; its holder's writes are fenced. */
export const leaseHolds = (untilMs: number, leaseMs: number, nowMs: number): boolean =>
  untilMs > nowMs && !isTooLate(untilMs, nowMs + leaseMs)

const EVERY_MS = 300_000

/** Whether to look through stored times: at first, every five minutes, and when the clock has stepped back. */
export const createStepWatch = ({ now, monotonic }: { now(): number; monotonic(): number }) => {
  let lookedAt: number | undefined
  let last = Number.NEGATIVE_INFINITY
  return (): boolean => {
    const hasSteppedBack = now() < last
    last = now()
    if (lookedAt !== undefined && !hasSteppedBack && monotonic() - lookedAt < EVERY_MS) return false
    lookedAt = monotonic()
    return true
  }
}
