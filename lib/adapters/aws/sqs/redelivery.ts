import { ChangeMessageVisibilityCommand, type SQSClient } from '@aws-sdk/client-sqs'
import { backoffMs } from '../../../core/backoff.ts'
import { retry } from '../../../core/retry.ts'
import type { Clock } from '../../../ports/clock.ts'
import { failRequest } from './batcher.ts'
import type { SqsRecord } from './event.ts'

const FIRST_MS = 1_000
const LONGEST_MS = 300_000

/**
 * How long a message that was received `receives` times and not done with stays away: `firstMs`, twice that, and so on
 * up to five minutes. Functions are fed no more than they can handle, so there is no herd for jitter to spread.
 */
export const redeliveryMs = (receives: number, firstMs = FIRST_MS): number =>
  backoffMs({ attempt: receives, baseMs: firstMs, type: 'exponential', random: () => 0, maxMs: LONGEST_MS })

type Received = Pick<SqsRecord, 'eventSourceARN' | 'receiptHandle'>

type Needs = {
  client: SQSClient
  /** The URL of any queue of the account and region; those of the others differ in the last part, the name. */
  anyUrl: string
  clock: Pick<Clock, 'after'>
}

/**
 * Brings a record that a function failed back after `delayMs`; by itself it would come at the end of the visibility
 * timeout of its queue. Rejects with Problem `unavailable` when SQS does not answer.
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
