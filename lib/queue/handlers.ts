import { toTrace } from '../core/trace.ts'
import type { Handlers } from '../http/route.ts'
import type { queueRoutes } from './contract.ts'
import type { DeadLetters } from './dead-letters.ts'
import type { Failures } from './failures.ts'
import type { QueueStatus } from './schema.ts'

type Needs = { deadLetters: DeadLetters; failures: Failures; queueStatus: () => Promise<QueueStatus> }

export const queueHandlers = ({
  deadLetters,
  failures,
  queueStatus,
}: Needs): Handlers<typeof queueRoutes> => ({
  queueStatus: () => queueStatus(),
  listDlq: ({ query }) => deadLetters.list(query),
  retryDlqItem: async ({ params }, call) => ({
    message: 'Task queued again',
    ...(await deadLetters.retry(call.principal, params.id, { trace: toTrace(call) })),
  }),
  discardDlqItem: async ({ params }) => ({
    message: 'Dead letter discarded',
    item: await deadLetters.discard(params.id),
  }),
  listFailures: ({ query }) => failures.list(query),
  muteFailure: async ({ params: { fingerprint } }, { principal }) => {
    await failures.mute(principal, fingerprint)
    return { message: 'Failures muted', fingerprint, muted: true }
  },
  unmuteFailure: async ({ params: { fingerprint } }, { principal }) => {
    await failures.unmute(principal, fingerprint)
    return { message: 'Failures unmuted', fingerprint, muted: false }
  },
})
