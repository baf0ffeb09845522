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
  code: z.string().optional().describe('The code of the error'),
  agent: z.string().optional(),
  createdBy: z.string().optional().describe('Who created the task'),
  fingerprint: z
    .string()
    .optional()
    .describe('The group of failures that it belongs to; a message that could not be delivered has none'),
  resolvedAt: z.iso.datetime().optional(),
  resolution: z
    .object({ by: z.string(), taskId: z.string() })
    .optional()
    .describe(
      'Who retried the task, and the task that runs for it now: the same one, or a new one where the task itself was retried',
    ),
})
export type DlqItem = z.output<typeof DlqItemSchema>
export type Resolution = NonNullable<DlqItem['resolution']>

export const DlqCountsSchema = z.object({
  pending: z.number(),
  resolved: z.number().describe('Retried'),
  discarded: z.number(),
  total: z.number(),
})
export type DlqCounts = z.output<typeof DlqCountsSchema>

const WorkerSchema = z.object({
  running: z.boolean().describe('Whether it takes messages'),
  concurrency: z.number().describe('Messages at the same time'),
})

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
  workers: z.object({
    tasks: WorkerSchema.extend({
      disabled: z
        .literal(true)
        .optional()
        .describe('Where `WORKER` is `off`: runners take the tasks, and the service none'),
    }),
    notifications: WorkerSchema,
  }),
  deadLetterQueue: DlqCountsSchema,
})
export type QueueStatus = z.output<typeof QueueStatusSchema>

/** Failures of one agent with the same code and, apart from varying parts, the same message. */
export const FailureGroupSchema = z
  .object({
    fingerprint: z.string(),
    code: z.string(),
    message: z
      .string()
      .describe(
        'The message of the error, with signs for what varies: `<n>`, `<id>`, `<hex>`, `<path>`, `<url>`, `<text>`',
      ),
    agent: z.string(),
    count: z.number().describe('Failures since `since`'),
    pending: z.number().describe('Those of them whose dead letter waits for a decision'),
    firstSeen: z.iso.datetime(),
    lastSeen: z.iso.datetime(),
    lastMessage: z
      .string()
      .describe('The message of the newest failure as it was, at most its first 1,000 characters'),
    spark: z.array(z.number()).describe('Failures in each bucket from `since` to now'),
    taskIds: z.array(z.string()).describe('The newest of its tasks, at most five'),
    muted: z.boolean().describe('Its failures send no notifications'),
  })
  .meta({ id: 'FailureGroup' })
export type FailureGroup = z.output<typeof FailureGroupSchema>
