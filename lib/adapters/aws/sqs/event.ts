/** The parts of a record that the service reads; the real object is what Lambda's SQS event source delivers. */
export type SqsRecord = {
  messageId: string
  receiptHandle: string
  body: string
  attributes: { ApproximateReceiveCount: string; [name: string]: string | undefined }
  messageAttributes: { [name: string]: { dataType: string; stringValue?: string } | undefined }
  eventSourceARN: string
}

export type SqsEvent = { Records: SqsRecord[] }

/** What is left of a function's time, and Lambda's name for the invocation. */
export type InvocationContext = { getRemainingTimeInMillis(): number; awsRequestId?: string }

/** Records to be delivered again; all others are deleted (`ReportBatchItemFailures`). */
export type SqsBatchResponse = { batchItemFailures: { itemIdentifier: string }[] }
