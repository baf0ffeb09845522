import { Problem } from '../core/errors.ts'
import type { Principal } from '../core/principal.ts'
import type { Limiter } from '../ports/limiter.ts'

type Needs = { limiter: Limiter; callsPerMinute: number }

const BURST = { name: 'gateway.burst', calls: 10, windowMs: 1_000 }
const MINUTE_MS = 60_000

/**
 * Counts one request of a token, also one that is refused later: at most the token's own number, or else that of the
 * service, in a minute, and 10 in a second. Throws Problem `rate_limited` when either is too many.
 */
export const createRateLimit = ({ limiter, callsPerMinute }: Needs) => {
  return async ({ tokenId = '', callsPerMinute: own = callsPerMinute }: Principal): Promise<void> => {
    const waits = await Promise.all([
      limiter.take({ name: 'gateway.minute', calls: own, windowMs: MINUTE_MS }, tokenId),
      limiter.take(BURST, tokenId),
    ])
    const retryAfterMs = Math.max(...waits)
    if (retryAfterMs > 0)
      throw new Problem(
        'rate_limited',
        'rate_limited',
        `Too many requests with this token: at most ${own} a minute and ${BURST.calls} a second`,
        { retryAfterMs },
      )
  }
}
