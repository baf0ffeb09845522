import type { InvocationContext, SqsEvent } from '../lib/adapters/aws/sqs/event.ts'
import { openDlq } from '../lib/app/cloud-jobs.ts'

let opened: Awaited<ReturnType<typeof openDlq>> | undefined

/** Takes in what SQS gave up on. */
export const handler = async (event: SqsEvent, context: InvocationContext) => {
  opened ??= await openDlq()
  return opened(event, context)
}
