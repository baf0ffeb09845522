import type { InvocationContext, SqsEvent } from '../lib/adapters/aws/sqs/sqs-batch.ts'
import { openNotify } from '../lib/app/cloud-jobs.ts'

let opened: Awaited<ReturnType<typeof openNotify>> | undefined

/** Handles the notices of a batch: notifications, and deliveries to webhooks and callers. */
export const handler = async (event: SqsEvent, context: InvocationContext) => {
  opened ??= await openNotify()
  return opened(event, context)
}
