import type { Clock } from '../ports/clock.ts'

const MINUTE_MS = 60_000

export type CallRate = { recent(key: string): number; count(key: string): void }

/** A sliding window of one minute per key. A key that made no call for a minute takes no memory once another one calls. */
export const createCallRate = (clock: Clock): CallRate => {
  const calls = new Map<string, number[]>()
  const within = (key: string): number[] => {
    const since = clock.monotonic() - MINUTE_MS
    return (calls.get(key) ?? []).filter((at) => at > since)
  }
  const forgetIdle = () => {
    for (const key of calls.keys()) if (within(key).length === 0) calls.delete(key)
  }
  return {
    recent: (key) => within(key).length,
    count(key) {
      if (!calls.has(key)) forgetIdle()
      calls.set(key, [...within(key), clock.monotonic()])
    },
  }
}
