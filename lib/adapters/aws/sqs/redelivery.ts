import { ChangeMessageVisibilityCommand, type SQSClient } from '@aws-sdk/client-sqs'
import { backoffMs } from '../../../core/backoff.ts'
import type { SqsRecord } from './event.ts'

const FIRST_MS = 1_000
const LONGEST_MS = 300_000

/**
 * How long a message whose handler failed stays away: `firstMs`, twice that, and so on up to five minutes. Consumers
 * take no more than they can handle, so there is no herd for jitter to spread.
 */
export const redeliveryMs = (receives: number, firstMs = FIRST_MS): number =>
  backoffMs({ attempt: receives, baseMs: firstMs, type: 'exponential', random: () => 0, maxMs: LONGEST_MS })

/**
 * Brings a record that a Lambda function failed back after `delayMs`; by itself it would come at the end of its
 * visibility timeout, which is six times the function's.
 */
export const createRedelivery =
  (client: SQSClient, urls: readonly string[]) =>
  async ({ eventSourceARN, receiptHandle }: SqsRecord, delayMs: number): Promise<void> => {
    const name = eventSourceARN.split(':').at(-1)
    const QueueUrl = urls.find((url) => url.endsWith(`/${name}`))
    if (QueueUrl === undefined) throw new Error(`No URL is known of the queue ${name}`)
    const VisibilityTimeout = Math.ceil(delayMs / 1_000)
    await client.send(
      new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle: receiptHandle, VisibilityTimeout }),
    )
  }
