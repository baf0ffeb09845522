import type { Clock } from '../ports/clock.ts'

const MINUTE_MS = 60_000

/** Counts one call of a user and resolves to true; resolves to false when the last minute has as many calls already. */
export type CountCall = (userId: string, callsPerMinute: number) => Promise<boolean>

/** Counts within this process, in a sliding window of one minute per user. */
export const createCallRate = (clock: Clock): CountCall => {
  const calls = new Map<string, number[]>()
  const within = (userId: string): number[] => {
    const since = clock.monotonic() - MINUTE_MS
    return (calls.get(userId) ?? []).filter((at) => at > since)
  }
  const forgetIdle = () => {
    for (const userId of calls.keys()) if (within(userId).length === 0) calls.delete(userId)
  }
  return async (userId, callsPerMinute) => {
    const recent = within(userId)
    if (recent.length >= callsPerMinute) return false
    if (!calls.has(userId)) forgetIdle()
    calls.set(userId, [...recent, clock.monotonic()])
    return true
  }
}
