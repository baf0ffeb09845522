import * as z from 'zod'

export const DLQ_STATUSES = ['pending', 'resolved', 'discarded'] as const

/** A task that failed without attempts left, and waits for a user's decision. */
export const DlqItemSchema = z.object({
  id: z.string(),
  taskId: z.string(),
  title: z.string(),
  attempts: z.number(),
  lastError: z.string(),
  createdAt: z.iso.datetime(),
  status: z.enum(DLQ_STATUSES),
  code: z.string().optional().meta({ description: 'The code of the error' }),
  agent: z.string().optional(),
  fingerprint: z.string().optional().meta({
    description: 'The group of failures that it belongs to; a message that could not be delivered has none',
  }),
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

/**
 * Failures of one cause: tasks of one agent that failed with the same code and, apart from varying parts, the same
 * message.
 */
export const FailureGroupSchema = z
  .object({
    fingerprint: z.string(),
    code: z.string(),
    message: z.string().meta({
      description:
        'The message of the error, with signs for what varies: `<n>`, `<id>`, `<hex>`, `<path>`, `<url>`, `<text>`',
    }),
    agent: z.string(),
    count: z.number().meta({ description: 'Failures since `since`' }),
    pending: z.number().meta({ description: 'Those of them whose dead letter waits for a decision' }),
    firstSeen: z.iso.datetime(),
    lastSeen: z.iso.datetime(),
    spark: z.array(z.number()).meta({ description: 'Failures in each bucket from `since` to now' }),
    taskIds: z.array(z.string()).meta({ description: 'The newest of its tasks, at most five' }),
    muted: z.boolean(),
  })
  .meta({ id: 'FailureGroup' })
export type FailureGroup = z.output<typeof FailureGroupSchema>
