import { traceOf } from '../core/trace.ts'
import type { Handlers } from '../http/route.ts'
import type { queueRoutes } from './contract.ts'
import type { DeadLetters } from './dead-letters.ts'
import type { QueueStatus } from './schema.ts'

type Needs = { deadLetters: DeadLetters; queueStatus: () => Promise<QueueStatus> }

export const queueHandlers = ({ deadLetters, queueStatus }: Needs): Handlers<typeof queueRoutes> => ({
  queueStatus: () => queueStatus(),
  listDlq: ({ query }) => deadLetters.list(query),
  retryDlqItem: async ({ params }, call) => ({
    message: 'Task queued again',
    ...(await deadLetters.retry(call.principal, params.id, traceOf(call))),
  }),
  discardDlqItem: async ({ params }) => ({
    message: 'Dead letter discarded',
    item: await deadLetters.discard(params.id),
  }),
})
