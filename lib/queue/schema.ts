import * as z from 'zod'

export const DLQ_STATUSES = ['pending', 'resolved', 'discarded'] as const

/** A task that failed for good and waits for a user's decision. */
export const DlqItemSchema = z.object({
  id: z.string(),
  taskId: z.string(),
  title: z.string(),
  attempts: z.number(),
  lastError: z.string(),
  createdAt: z.iso.datetime(),
  status: z.enum(DLQ_STATUSES),
  resolvedAt: z.iso.datetime().optional(),
  resolution: z.object({ by: z.string(), taskId: z.string() }).optional().meta({
    description:
      'Who retried the task, and the task that runs for it now: the same one, or a new one where the task itself was retried',
  }),
})
export type DlqItem = z.output<typeof DlqItemSchema>
export type Resolution = NonNullable<DlqItem['resolution']>

export const DlqCountsSchema = z.object({
  pending: z.number(),
  resolved: z.number(),
  discarded: z.number(),
  total: z.number(),
})
export type DlqCounts = z.output<typeof DlqCountsSchema>

const WorkerSchema = z.object({ running: z.boolean(), concurrency: z.number() })

export const QueueStatusSchema = z.object({
  mode: z.enum(['memory', 'sqs']),
  queues: z.object({
    tasks: z.object({
      pending: z.number(),
      queued: z.number(),
      inProgress: z.number(),
      completed: z.number(),
      failed: z.number(),
    }),
  }),
  workers: z.object({ tasks: WorkerSchema, notifications: WorkerSchema }),
  deadLetterQueue: DlqCountsSchema,
})
export type QueueStatus = z.output<typeof QueueStatusSchema>
