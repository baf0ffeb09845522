import { randomInt } from 'node:crypto'
import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb'

type RetryStrategy = Extract<NonNullable<DynamoDBClientConfig['retryStrategy']>, { recordSuccess: unknown }>
type Token = Awaited<ReturnType<RetryStrategy['acquireInitialRetryToken']>>

/** The longest wait before the first repetition; each of the next is up to twice as long. */
const LONGEST_WAIT_MS = { TRANSIENT: 50, THROTTLING: 500 } as const

const tokenOf = (retries: number, delayMs: number): Token => ({
  getRetryCount: () => retries,
  getRetryDelay: () => delayMs,
})

/**
 * Repeats a call that failed in passing until it was made `attempts` times. The SDK's own strategy has a budget for all
 * calls of a client, which a third of them failing uses up within seconds: from then on it repeats next to nothing. Here
 * every call has its own repetitions, so that what may fail does not depend on what failed before. Waits are random from
 * nothing up to a limit that doubles (https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/).
 */
export const createRetries = (attempts: number): RetryStrategy => ({
  acquireInitialRetryToken: async () => tokenOf(0, 0),
  refreshRetryTokenForRetry: async (token, { errorType }) => {
    const retries = token.getRetryCount() + 1
    // The SDK throws what ended the call when it hears this.
    if ((errorType !== 'TRANSIENT' && errorType !== 'THROTTLING') || retries >= attempts)
      throw new Error('This call is not made again')
    return tokenOf(retries, randomInt(LONGEST_WAIT_MS[errorType] * 2 ** (retries - 1) + 1))
  },
  recordSuccess: () => undefined,
})
