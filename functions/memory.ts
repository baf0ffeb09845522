import type { SqsBatchResponse, SqsEvent } from '../lib/adapters/aws/sqs/sqs-batch.ts'
import { openCloud, openHandlers } from '../lib/app/cloud.ts'
import { openedOnce, serveRoutes } from '../lib/app/cloud-function.ts'
import { errorMessage } from '../lib/core/errors.ts'
import type { HttpEvent } from '../lib/http/event.ts'
import { memoryRoutes } from '../lib/memory/contract.ts'
import { memoryHandlers } from '../lib/memory/handlers.ts'

const opened = openedOnce((config) => openCloud(config))
const serve = serveRoutes(memoryRoutes, async () => openHandlers(await opened(), memoryHandlers))

/** Handles the bucket's events, which may repeat and be out of order: one check of the bucket covers a whole batch. */
const takeEvents = async ({ Records }: SqsEvent): Promise<SqsBatchResponse> => {
  const { memory, log } = await opened()
  try {
    await memory.syncIfChanged()
    return { batchItemFailures: [] }
  } catch (thrown) {
    log.warn(
      { events: Records.length, reason: errorMessage(thrown) },
      'memory looks at its bucket again later',
    )
    return { batchItemFailures: Records.map(({ messageId }) => ({ itemIdentifier: messageId })) }
  }
}

/** Answers requests, and handles the bucket's events about memory files. */
export const handler = async (event: HttpEvent | SqsEvent, context: object) =>
  'Records' in event ? takeEvents(event) : serve(event, context)
