import { errorMessage, Problem } from '../core/errors.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { Limiter } from './limiter.ts'

/**
 * Takes one of a user's slots, for something that is open for a while; resolves to the function that frees it, of which
 * repeats do nothing. Throws Problem `rate_limited` when the user has taken all.
 */
export type TakeUserSlot = (userId: string) => Promise<FreeSlot>
type FreeSlot = () => Promise<void>

/** `longestMs` is when a slot that was not freed is free again: its process may have died. */
type Kind = { name: string; most: number; longestMs: number; refused: () => Problem }

export const once = (free: () => Promise<void> | void): FreeSlot => {
  let freed: Promise<void> | undefined
  return () => {
    freed ??= Promise.resolve(free())
    return freed
  }
}

export const createLocalUserSlots = (
  clock: Pick<Clock, 'after'>,
  { most, longestMs, refused }: Kind,
): TakeUserSlot => {
  const counts = new Map<string, number>()
  return async (userId) => {
    const count = counts.get(userId) ?? 0
    if (count >= most) throw refused()
    counts.set(userId, count + 1)
    const free = once(() => {
      cancel()
      const left = (counts.get(userId) ?? 1) - 1
      if (left > 0) counts.set(userId, left)
      else counts.delete(userId)
    })
    const cancel = clock.after(longestMs, () => void free())
    return free
  }
}

/** Slots that several processes share: a taken slot is a call that counts until it is given back. */
export const createSharedUserSlots = (
  { limiter, log }: { limiter: Pick<Limiter, 'take' | 'giveBack'>; log: Pick<Log, 'warn'> },
  { name, most, longestMs, refused }: Kind,
): TakeUserSlot => {
  const limit = { name, calls: most, windowMs: longestMs }
  return async (userId) => {
    if ((await limiter.take(limit, userId)) > 0) throw refused()
    return once(() =>
      limiter
        .giveBack(limit, userId)
        .catch((thrown) =>
          log.warn({ name, reason: errorMessage(thrown) }, 'a slot of a user was not freed'),
        ),
    )
  }
}

const AGAIN_MS = 5_000

export const turnLimit = (most: number, longestMs: number): Kind => ({
  name: 'open.turns',
  most,
  longestMs,
  refused: () =>
    new Problem(
      'rate_limited',
      'too_many_turns',
      `You have ${most} model responses in progress, which is the limit. Wait for one to end, or cancel one`,
      { retryAfterMs: AGAIN_MS },
    ),
})
