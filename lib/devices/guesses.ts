import { Problem } from '../core/errors.ts'
import type { Limit, Limiter } from '../ports/limiter.ts'

const WRONG_CODES: Limit = { name: 'pairingCode', calls: 10, windowMs: 600_000 }

/**
 * Bounds how many wrong codes one may enter. Every code is counted before it is read, so that many at once are no more
 * guesses than one after the other, and what is no code counts too; one that was right is taken back.
 */
export const createGuesses = ({ limiter }: { limiter: Limiter }) => ({
  /** Counts a code that is about to be entered. Throws Problem `rate_limited`. */
  count: async (keys: readonly string[]): Promise<void> => {
    const retryAfterMs = await limiter.takeAll(WRONG_CODES, keys)
    if (retryAfterMs > 0) throw tooMany(retryAfterMs)
  },

  /** What a code that was counted stands for. Throws Problem `missing` for a wrong one. */
  found: async <T>(keys: readonly string[], lookUp: () => Promise<T | undefined>): Promise<T> => {
    const found = await lookUp()
    if (found === undefined) throw noSuchCode()
    // What the code was for has been done: a limit that stays stricter by one for ten minutes does not undo it.
    await Promise.allSettled(keys.map((key) => limiter.giveBack(WRONG_CODES, key)))
    return found
  },
})

export type Guesses = ReturnType<typeof createGuesses>

const tooMany = (retryAfterMs: number) =>
  new Problem(
    'rate_limited',
    'rate_limited',
    'Too many wrong pairing codes. Please try again in ten minutes.',
    {
      retryAfterMs,
    },
  )

const noSuchCode = () =>
  new Problem(
    'missing',
    'pairing_code_not_found',
    'No open request has this code: it is mistyped, used or expired',
  )
