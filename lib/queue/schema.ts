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
  code: z.string().optional().describe('Error code'),
  agent: z.string().optional(),
  createdBy: z.string().optional().describe('User who created the task'),
  fingerprint: z
    .string()
    .optional()
    .describe('Failure group; absent for a message that could not be delivered'),
  resolvedAt: z.iso.datetime().optional(),
  resolution: z
    .object({ by: z.string(), taskId: z.string() })
    .optional()
    .describe(
      'User who retried the task, and the task that runs now: the same one, or a new one if the task itself was retried',
    ),
})
export type DlqItem = z.output<typeof DlqItemSchema>
export type Resolution = NonNullable<DlqItem['resolution']>

export const DlqCountsSchema = z.object({
  pending: z.number(),
  resolved: z.number().describe('Retried dead letters'),
  discarded: z.number(),
  total: z.number(),
})
export type DlqCounts = z.output<typeof DlqCountsSchema>

const WorkerSchema = z.object({
  running: z.boolean().describe('Whether the worker takes messages'),
  concurrency: z.number().describe('Maximum messages processed at once'),
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
      disabled: z.literal(true).optional().describe('Set if `WORKER` is `off`: only runners run tasks'),
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
        'Error message with placeholders for variable parts: `<n>`, `<id>`, `<hex>`, `<path>`, `<url>`, `<text>`',
      ),
    agent: z.string(),
    count: z.number().describe('Failures since `since`'),
    pending: z.number().describe('Failures with a pending dead letter'),
    firstSeen: z.iso.datetime(),
    lastSeen: z.iso.datetime(),
    lastMessage: z.string().describe('Original message of the newest failure, truncated to 1,000 characters'),
    spark: z.array(z.number()).describe('Failures per bucket from `since` to now'),
    taskIds: z.array(z.string()).describe('Newest tasks of the group, at most 5'),
    muted: z.boolean().describe('Whether notifications are muted'),
  })
  .meta({ id: 'FailureGroup' })
export type FailureGroup = z.output<typeof FailureGroupSchema>
