import type { Message } from '@aws-sdk/client-sqs'
import type { SqsRecord } from '../lib/adapters/aws/sqs/sqs-batch.ts'

/** A record of Lambda's SQS event source with every field, also those that the service does not read. */
export type LambdaRecord = SqsRecord & {
  md5OfBody: string
  eventSource: 'aws:sqs'
  awsRegion: string
}

type Attributes = Message['MessageAttributes']

/** The record of a message that was received with all its attributes. */
export const sqsRecord = (message: Message, queueArn: string): LambdaRecord => ({
  messageId: message.MessageId ?? '',
  receiptHandle: message.ReceiptHandle ?? '',
  body: message.Body ?? '',
  attributes: { ApproximateReceiveCount: '1', ...message.Attributes },
  messageAttributes: lambdaAttributes(message.MessageAttributes),
  md5OfBody: message.MD5OfBody ?? '',
  eventSource: 'aws:sqs',
  eventSourceARN: queueArn,
  awsRegion: queueArn.split(':')[3] ?? '',
})

/** Lambda begins the names of an attribute's parts with a lower-case letter. */
const lambdaAttributes = (attributes: Attributes = {}): SqsRecord['messageAttributes'] =>
  Object.fromEntries(
    Object.entries(attributes).map(([name, { DataType = 'String', StringValue }]) => [
      name,
      { dataType: DataType, ...(StringValue === undefined ? {} : { stringValue: StringValue }) },
    ]),
  )

/**
 * The ids of the messages that stay in the queue. As in Lambda, an answer without `batchItemFailures` keeps none, and one
 * that names an unknown message keeps all.
 */
export const failedIn = (answer: unknown, records: readonly SqsRecord[]): ReadonlySet<string> => {
  const all = new Set(records.map(({ messageId }) => messageId))
  const { batchItemFailures } = (answer ?? {}) as { batchItemFailures?: unknown }
  if (batchItemFailures === undefined || batchItemFailures === null) return new Set()
  if (!Array.isArray(batchItemFailures)) return all
  const named = batchItemFailures.map((failure) => failure?.itemIdentifier)
  return named.every((id) => all.has(id)) ? new Set(named) : all
}
