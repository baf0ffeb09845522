import type { QueueStatus } from '../../../../lib/queue/schema.ts'

export type Counts = QueueStatus['queues']['tasks']

/** The number that the thresholds of the queue apply to: all tasks that have not ended. */
export const queueDepth = ({ pending, queued, inProgress }: Counts): number => pending + queued + inProgress

export const depthParts = (tasks: Counts | undefined) => [
  { id: 'running', value: tasks?.inProgress ?? 0, className: 'bg-running' },
  { id: 'queued', value: tasks?.queued ?? 0, className: 'bg-queued' },
  { id: 'pending', value: tasks?.pending ?? 0, className: 'bg-pending' },
]
