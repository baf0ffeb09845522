import type { InvocationContext, SqsEvent } from '../lib/adapters/aws/sqs/sqs-batch.ts'
import { openDlq } from '../lib/app/cloud-jobs.ts'

let opened: Awaited<ReturnType<typeof openDlq>> | undefined

/** Handles the messages that SQS gave up. */
export const handler = async (event: SqsEvent, context: InvocationContext) => {
  opened ??= await openDlq()
  return opened(event, context)
}
