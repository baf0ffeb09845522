/** The fields of a record that the service reads; Lambda's SQS event source delivers more. */
export type SqsRecord = {
  messageId: string
  receiptHandle: string
  body: string
  attributes: { ApproximateReceiveCount: string; [name: string]: string | undefined }
  messageAttributes: { [name: string]: { dataType: string; stringValue?: string } | undefined }
  eventSourceARN: string
}

export type SqsEvent = { Records: SqsRecord[] }

/** The remaining time of a function, and Lambda's id of the invocation. */
export type InvocationContext = { getRemainingTimeInMillis(): number; awsRequestId?: string }

/** Records to deliver again; all others are deleted (`ReportBatchItemFailures`). */
export type SqsBatchResponse = { batchItemFailures: { itemIdentifier: string }[] }
