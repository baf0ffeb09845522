import type { InvocationContext, SqsEvent } from '../lib/adapters/aws/sqs/event.ts'
import { openNotify } from '../lib/app/cloud-jobs.ts'

let opened: ReturnType<typeof openNotify> | undefined

/** Handles the notices of a batch: notifications, and deliveries to webhooks and callers. */
export const handler = async (event: SqsEvent, context: InvocationContext) => {
  opened ??= openNotify()
  return opened(event, context)
}
