import type { InvocationContext, SqsEvent } from '../lib/adapters/aws/sqs/event.ts'
import { openNotify } from '../lib/app/cloud-jobs.ts'

let opened: ReturnType<typeof openNotify> | undefined

/** Tells people what the messages of a batch announce. */
export const handler = async (event: SqsEvent, context: InvocationContext) => {
  opened ??= openNotify()
  return opened(event, context)
}
