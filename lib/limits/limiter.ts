import { createContention } from '../core/contention.ts'
import { Problem } from '../core/errors.ts'
import type { Clock } from '../ports/clock.ts'
import type { Entropy } from '../ports/entropy.ts'
import type { Limit, Limiter } from '../ports/limiter.ts'
import type { Store } from '../ports/store.ts'
import { createKeyed } from './keyed.ts'
import { type CallsRow, callsRows } from './rows.ts'
import { liveMoments, type Moments, waitMs, withCall, withoutCall } from './window.ts'

type Needs = { store: Store; clock: Clock; entropy: Entropy }

/** The calls that are to count from now on, or none when it stays as it is; and what to answer. */
type Step = { wait: number; moments?: Moments }

const BUSY_MS = 1_000

/**
 * Keeps when calls passed in storage, so that all processes count together and a restart forgets nothing. A call that is
 * refused costs a read; one that passes is a write on condition that no other write came in between. A race is lost to a
 * call that passed, and no more than the limit pass: so most that lose are refused soon.
 */
export const createLimiter = ({ store, clock, entropy }: Needs): Limiter => {
  const contending = createKeyed(() => createContention({ timer: clock, entropy }))

  const attempt = async (id: string, limit: Limit, step: (live: Moments, now: number) => Step) => {
    const row = await store.get(callsRows, id)
    const now = clock.now()
    const { wait, moments } = step(liveMoments(row?.moments ?? [], limit, now), now)
    if (moments === undefined) return wait
    const [newest] = moments.at(-1) ?? [now]
    // Versions begin with the time, so that no row that begins anew has one of the row before it.
    const next = { version: (row?.version ?? now) + 1, moments, expiresAt: newest + limit.windowMs }
    const { applied } = await store.commit<CallsRow>(
      row === undefined
        ? { insert: callsRows, row: { id, ...next } }
        : { update: callsRows, key: id, when: { version: row.version }, set: next },
    )
    return applied ? wait : undefined
  }

  const change = async (limit: Limit, key: string, step: (live: Moments, now: number) => Step) => {
    const id = `${limit.name}:${key}`
    const wait = await contending(id, (contend) => contend(() => attempt(id, limit, step)))
    if (wait === undefined) throw busy()
    return wait
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

const busy = () =>
  new Problem('unavailable', 'limit_busy', 'Too much at once: try again', { retryAfterMs: BUSY_MS })
