import { randomInt } from 'node:crypto'
import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb'
import { S3Client } from '@aws-sdk/client-s3'
import { SQSClient } from '@aws-sdk/client-sqs'
import type { SSMClient } from '@aws-sdk/client-ssm'

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
const createRetries = (attempts: number): RetryStrategy => ({
  acquireInitialRetryToken: async () => tokenOf(0, 0),
  refreshRetryTokenForRetry: async (token, { errorType }) => {
    const retries = token.getRetryCount() + 1
    // At this event the SDK throws what ended the call.
    if ((errorType !== 'TRANSIENT' && errorType !== 'THROTTLING') || retries >= attempts)
      throw new Error('This call is not made again')
    return tokenOf(retries, randomInt(LONGEST_WAIT_MS[errorType] * 2 ** (retries - 1) + 1))
  },
  recordSuccess: () => undefined,
})

export type Place = {
  region: string
  /** Of an emulator; AWS's own by default. */
  endpoint?: string | undefined
  /** By default those of the environment, as everywhere on AWS. */
  credentials?: { accessKeyId: string; secretAccessKey: string }
}

/**
 * `attempts` counts the first. `answerMs` is what one of them may take until its answer begins, sending included, and
 * the longest silence after that. From 6 s on the SDK begins to count silence 3 s late.
 */
type Limits = { attempts: number; answerMs: number }

/**
 * A service that hangs is noticed before the function that asks it is ended: an HTTP function has 29 s, and a call that
 * gets no answer has failed within 22. Bodies in S3 have up to 16 MB, which takes a while. What SQS did not take the
 * adapter sends again, so an operation costs four calls there as well, not four times four.
 */
const LIMITS = {
  dynamoDb: { attempts: 4, answerMs: 3_000 },
  s3: { attempts: 4, answerMs: 5_000 },
  sqs: { attempts: 1, answerMs: 3_000 },
  ssm: { attempts: 4, answerMs: 3_000 },
} as const satisfies Record<string, Limits>

const CONNECT_MS = 1_000

export const settings = (place: Place, { attempts, answerMs }: Limits) => ({
  region: place.region,
  ...(place.endpoint === undefined ? {} : { endpoint: place.endpoint }),
  ...(place.credentials === undefined ? {} : { credentials: place.credentials }),
  maxAttempts: attempts,
  retryStrategy: createRetries(attempts),
  requestHandler: {
    connectionTimeout: CONNECT_MS,
    requestTimeout: answerMs,
    throwOnRequestTimeout: true,
    socketTimeout: answerMs,
  },
})

/** What a client of the SDK does with a call, one step after another. */
type Steps = { middlewareStack: { remove(name: string): boolean } }

/**
 * A client without the SDK's own log. That log is not read, and what it would say of every call, its whole input and output
 * without secrets, is put together all the same. The clients of SSM and KMS keep it: they are called seldom.
 */
const unlogged = <Client extends Steps>(client: Client): Client => {
  client.middlewareStack.remove('loggerMiddleware')
  return client
}

/** Clients of one region, or of emulators. */
export const openDynamoDb = (place: Place): DynamoDBClient =>
  unlogged(new DynamoDBClient(settings(place, LIMITS.dynamoDb)))
export const openS3 = (place: Place): S3Client =>
  unlogged(new S3Client({ ...settings(place, LIMITS.s3), forcePathStyle: place.endpoint !== undefined }))
export const openSqs = (place: Place): SQSClient => unlogged(new SQSClient(settings(place, LIMITS.sqs)))
/** Loaded when it is asked for: in functions that are no container it comes with the runtime, not with their bundle. */
export const openSsm = async (place: Place): Promise<SSMClient> =>
  new (await import('@aws-sdk/client-ssm')).SSMClient(settings(place, LIMITS.ssm))
