import { collection } from '../core/collection.ts'
import { busyError, createContention } from '../core/contention.ts'
import type { Clock } from '../ports/clock.ts'
import type { Entropy } from '../ports/entropy.ts'
import type { Store } from '../ports/store.ts'

/** At most `calls` in any window of that length (a sliding window). `name` distinguishes limits. */
export type Limit = { name: string; calls: number; windowMs: number }

export interface Limiter {
  /**
   * Counts one call of `key` and resolves to 0, unless the last `windowMs` already have as many calls as allowed: then it
   * resolves to the milliseconds until the next call is allowed, and counts nothing. A limit of up to 100 calls is exact;
   * with a greater limit each call may count up to a hundredth of the window longer, never shorter. Rejects with Problem
   * `unavailable` when the medium fails or too many processes count the same key at once.
   */
  take(limit: Limit, key: string): Promise<number>
  /** Counts one call of each key, in their order, if all allow it; else counts nothing. */
  takeAll(limit: Limit, keys: readonly string[]): Promise<number>
  /** Uncounts one call within its window, for limits that count failures only. */
  giveBack(limit: Limit, key: string): Promise<void>
}

type Moments = readonly (readonly [at: number, calls: number])[]

/** The most times that are distinguished in a window: they bound the size of a row. */
const MOST_MOMENTS = 100

/** Calls within the window. One far in the future is of a clock that was set back, and does not count. */
const liveMoments = (moments: Moments, { windowMs }: Limit, now: number): Moments =>
  moments.filter(([at]) => Math.abs(now - at) < windowMs)

const waitMs = (live: Moments, { calls, windowMs }: Limit, now: number): number => {
  let tooMany = live.reduce((sum, [, passed]) => sum + passed, 0) - calls + 1
  if (tooMany <= 0) return 0
  for (const [at, passed] of live) {
    tooMany -= passed
    if (tooMany <= 0) return at + windowMs - now
  }
  // The limit allows no calls.
  return windowMs
}

/**
 * Adds one call. With more calls than distinguished times, a call counts as made at the end of its hundredth of the
 * window: it counts longer than it should, never shorter. Clocks of processes differ, so the list keeps the oldest first.
 */
const withCall = (live: Moments, { calls, windowMs }: Limit, now: number): Moments => {
  const stepMs = calls <= MOST_MOMENTS ? 1 : Math.ceil(windowMs / MOST_MOMENTS)
  const [newest, passed] = live.at(-1) ?? [0, 0]
  const at = Math.max(newest, Math.ceil(now / stepMs) * stepMs)
  return at === newest ? [...live.slice(0, -1), [at, passed + 1]] : [...live, [at, 1]]
}

/** Removes the oldest call, so that the others count as long as they should. */
const withoutCall = ([oldest, ...rest]: Moments): Moments => {
  if (oldest === undefined) return []
  const [at, passed] = oldest
  return passed > 1 ? [[at, passed - 1], ...rest] : rest
}

/** The calls of one key. The row expires when its latest call is as old as the window. */
type CallsRow = { id: string; version: number; moments: Moments; expiresAt: number }

export const callsRows = collection<CallsRow>({
  name: 'limits',
  key: 'id',
  indexes: {},
  expires: 'expiresAt',
})

type Needs = { store: Store; clock: Clock; entropy: Entropy }

/** The new calls of the row, or none when it stays unchanged; and the wait to answer. */
type Step = { wait: number; moments?: Moments }

/**
 * Stores the times of calls, so that all processes share one count and a restart keeps it. A refused call costs a read; a
 * call that passes is a conditional write. A write is lost only to another call that passed, and no more than the limit
 * pass, so most calls that lose are refused soon.
 */
export const createLimiter = ({ store, clock, entropy }: Needs): Limiter => {
  const contend = createContention({ clock, entropy }, () =>
    busyError('limit_busy', 'Too many requests at once. Try again'),
  )

  const attempt = async (id: string, limit: Limit, step: (live: Moments, now: number) => Step) => {
    const row = await store.get(callsRows, id)
    const now = clock.now()
    const { wait, moments } = step(liveMoments(row?.moments ?? [], limit, now), now)
    if (moments === undefined) return wait
    const [newest] = moments.at(-1) ?? [now]
    // Versions begin with the time, so that a new row never has a version of an earlier row of the key.
    const next = { version: (row?.version ?? now) + 1, moments, expiresAt: newest + limit.windowMs }
    const { applied } = await store.commit<CallsRow>(
      row === undefined
        ? { insert: callsRows, row: { id, ...next } }
        : { update: callsRows, key: id, when: { version: row.version }, set: next },
    )
    return applied ? wait : undefined
  }

  const change = (limit: Limit, key: string, step: (live: Moments, now: number) => Step) => {
    const id = `${limit.name}:${key}`
    return contend(() => attempt(id, limit, step), id)
  }

  const take = (limit: Limit, key: string) =>
    change(limit, key, (live, now) => {
      const wait = waitMs(live, limit, now)
      return wait > 0 ? { wait } : { wait, moments: withCall(live, limit, now) }
    })

  const giveBack = async (limit: Limit, key: string): Promise<void> => {
    await change(limit, key, (live) =>
      live.length > 0 ? { wait: 0, moments: withoutCall(live) } : { wait: 0 },
    )
  }

  const takeAll = async (limit: Limit, keys: readonly string[]): Promise<number> => {
    for (const [n, key] of keys.entries()) {
      const wait = await take(limit, key)
      if (wait === 0) continue
      await Promise.all(keys.slice(0, n).map((taken) => giveBack(limit, taken)))
      return wait
    }
    return 0
  }

  return { take, takeAll, giveBack }
}
