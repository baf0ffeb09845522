import type { InvocationContext, SqsEvent } from '../lib/adapters/aws/sqs/event.ts'
import { openWorker } from '../lib/app/cloud-worker.ts'

let opened: ReturnType<typeof openWorker> | undefined

/** Runs the tasks that the messages of a batch name. */
export const handler = async (event: SqsEvent, context: InvocationContext) => {
  opened ??= openWorker()
  opened.catch(() => {
    opened = undefined
  })
  return (await opened)(event, context)
}
