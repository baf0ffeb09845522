import { SQSClient } from '@aws-sdk/client-sqs'

type Settings = {
  region: string
  /** Of an emulator; AWS's own by default. */
  endpoint?: string
  /** By default the SDK finds them where it runs. */
  credentials?: { accessKeyId: string; secretAccessKey: string }
}

const CONNECT_WITHIN_MS = 2_000
const ANSWER_WITHIN_MS = 5_000

/** A client that leaves repeating to the adapter, so that an operation costs four calls at most, not four times three. */
export const createSqsClient = (settings: Settings): SQSClient =>
  new SQSClient({
    ...settings,
    maxAttempts: 1,
    requestHandler: {
      connectionTimeout: CONNECT_WITHIN_MS,
      requestTimeout: ANSWER_WITHIN_MS,
      throwOnRequestTimeout: true,
    },
  })

/** The time limit of a call that SQS answers `waitMs` later when there is nothing to say. */
export const answerWithinMs = (waitMs: number): number => waitMs + ANSWER_WITHIN_MS
