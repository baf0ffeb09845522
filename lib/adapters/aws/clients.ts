import { randomInt } from 'node:crypto'
import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb'
import { S3Client } from '@aws-sdk/client-s3'
import { SQSClient } from '@aws-sdk/client-sqs'
import type { SSMClient } from '@aws-sdk/client-ssm'

type RetryStrategy = Extract<NonNullable<DynamoDBClientConfig['retryStrategy']>, { recordSuccess: unknown }>
type Token = Awaited<ReturnType<RetryStrategy['acquireInitialRetryToken']>>

/** The longest wait before the first retry; the limit of each further retry doubles. */
const LONGEST_WAIT_MS = { TRANSIENT: 50, THROTTLING: 500 } as const

const retryToken = (retries: number, delayMs: number): Token => ({
  getRetryCount: () => retries,
  getRetryDelay: () => delayMs,
})

/**
 * Retries a call after temporary failures until it was made `attempts` times. The SDK's own strategy has one budget for
 * all calls of a client, which a third of failing calls uses up within seconds: after that it hardly retries. Here every
 * call has its own retries, so that earlier failures do not affect it. Waits are random, up to a limit that doubles
 * (https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/).
 */
const createRetries = (attempts: number): RetryStrategy => ({
  acquireInitialRetryToken: async () => retryToken(0, 0),
  refreshRetryTokenForRetry: async (token, { errorType }) => {
    const retries = token.getRetryCount() + 1
    // At this event the SDK throws the error of the call.
    if ((errorType !== 'TRANSIENT' && errorType !== 'THROTTLING') || retries >= attempts)
      throw new Error('This call is not made again')
    return retryToken(retries, randomInt(LONGEST_WAIT_MS[errorType] * 2 ** (retries - 1) + 1))
  },
  recordSuccess: () => undefined,
})

export type Place = {
  region: string
  /** The address of an emulator; AWS's own by default. */
  endpoint?: string | undefined
  /** Those of the environment by default, as usual on AWS. */
  credentials?: { accessKeyId: string; secretAccessKey: string }
}

/** `answerMs` limits an attempt until its answer begins, and any silence after that; above 6 s it counts 3 s late. */
type Limits = { attempts: number; answerMs: number }

/**
 * A call to a hanging service fails before its function ends: an HTTP function has 29 s, and a call without an answer
 * fails within 22. Bodies in S3 have up to 16 MB, which take longer. The SQS adapter sends refused messages again itself,
 * so an operation makes four calls there too, not four times four.
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

type Steps = { middlewareStack: { remove(name: string): boolean } }

/** Removes the SDK's log, which is not used: its entries would be built from the input and output of every call. */
const unlogged = <Client extends Steps>(client: Client): Client => {
  client.middlewareStack.remove('loggerMiddleware')
  return client
}

export const openDynamoDb = (place: Place): DynamoDBClient =>
  unlogged(new DynamoDBClient(settings(place, LIMITS.dynamoDb)))
export const openS3 = (place: Place): S3Client =>
  unlogged(new S3Client({ ...settings(place, LIMITS.s3), forcePathStyle: place.endpoint !== undefined }))
export const openSqs = (place: Place): SQSClient => unlogged(new SQSClient(settings(place, LIMITS.sqs)))
/** Loaded on demand: in functions outside of a container the runtime has it, so the bundle does not. */
export const openSsm = async (place: Place): Promise<SSMClient> =>
  new (await import('@aws-sdk/client-ssm')).SSMClient(settings(place, LIMITS.ssm))
