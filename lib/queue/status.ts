import type { DlqCounts, QueueStatus } from './schema.ts'

type WorkerState = QueueStatus['workers']['tasks']

type Needs = {
  mode: QueueStatus['mode']
  taskCounts: () => Promise<Readonly<Record<string, number>>>
  deadLetterCounts: () => Promise<DlqCounts>
  workers: Readonly<QueueStatus['workers']>
  /** Whether the service runs tasks itself. */
  worker: 'on' | 'off'
}

/** The status of the queue in the API, from counters. */
export const createQueueStatus =
  ({ mode, taskCounts, deadLetterCounts, workers, worker }: Needs) =>
  async (): Promise<QueueStatus> => {
    const [counts, deadLetterQueue] = await Promise.all([taskCounts(), deadLetterCounts()])
    return {
      mode,
      queues: {
        tasks: {
          pending: counts.pending ?? 0,
          queued: counts.queued ?? 0,
          inProgress: counts.in_progress ?? 0,
          completed: counts.completed ?? 0,
          failed: counts.failed ?? 0,
        },
      },
      workers: {
        tasks: { ...workerState(workers.tasks), ...(worker === 'off' && { disabled: true }) },
        notifications: workerState(workers.notifications),
      },
      deadLetterQueue,
    }
  }

const workerState = ({ running, concurrency }: WorkerState) => ({ running, concurrency })
