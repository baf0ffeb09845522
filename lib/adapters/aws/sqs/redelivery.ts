import { ChangeMessageVisibilityCommand, type SQSClient } from '@aws-sdk/client-sqs'
import { backoffMs } from '../../../core/backoff.ts'
import { retry } from '../../../core/retry.ts'
import type { Clock } from '../../../ports/clock.ts'
import { failRequest } from './batcher.ts'
import type { SqsRecord } from './event.ts'

const FIRST_MS = 1_000
const LONGEST_MS = 300_000

/**
 * The delay of a message that failed after `receives` receives: `firstMs`, twice that, and so on up to five minutes.
 * Functions get no more messages than they can handle, so jitter is not needed.
 */
export const redeliveryMs = (receives: number, firstMs = FIRST_MS): number =>
  backoffMs({ attempt: receives, baseMs: firstMs, type: 'exponential', random: () => 0, maxMs: LONGEST_MS })

type Received = Pick<SqsRecord, 'eventSourceARN' | 'receiptHandle'>

type Needs = {
  client: SQSClient
  /** The URL of any queue of the account and region; the URLs of others differ in the last part, the name. */
  anyUrl: string
  clock: Pick<Clock, 'after'>
}

/**
 * Makes a failed record come again after `delayMs`, sooner than after its queue's visibility timeout. Rejects with
 * Problem `unavailable` when SQS does not answer.
 */
export const createRedelivery =
  ({ client, anyUrl, clock }: Needs) =>
  async ({ eventSourceARN, receiptHandle }: Received, delayMs: number): Promise<void> => {
    const request = new ChangeMessageVisibilityCommand({
      QueueUrl: anyUrl.slice(0, anyUrl.lastIndexOf('/') + 1) + eventSourceARN.split(':').at(-1),
      ReceiptHandle: receiptHandle,
      VisibilityTimeout: Math.ceil(delayMs / 1_000),
    })
    await retry(() => client.send(request).catch(failRequest), clock)
  }
