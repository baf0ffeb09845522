import type { QueueStatus } from '../../../../lib/queue/schema.ts'

/** How many tasks are in which state. */
export type Counts = QueueStatus['queues']['tasks']

/** What the thresholds of the queue are meant for: all that has not ended. */
export const queueDepth = ({ pending, queued, inProgress }: Counts): number => pending + queued + inProgress

/** The depth in its parts, as a meter shows them. */
export const depthParts = (tasks: Counts | undefined) => [
  { id: 'running', value: tasks?.inProgress ?? 0, className: 'bg-running' },
  { id: 'queued', value: tasks?.queued ?? 0, className: 'bg-queued' },
  { id: 'pending', value: tasks?.pending ?? 0, className: 'bg-pending' },
]
