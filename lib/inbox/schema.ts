import * as z from 'zod'
import { ApprovalSchema } from '../approvals/schema.ts'
import { QuestionSchema } from '../core/question.ts'
import { HoldSchema } from '../holds/schema.ts'
import { WebhookSchema } from '../outbound-webhooks/schema.ts'
import { FailureGroupSchema } from '../queue/schema.ts'
import { ResultBriefSchema, TaskSchema } from '../tasks/schema.ts'

export const INBOX_KINDS = [
  'approval',
  'question',
  'failure',
  'hold',
  'budget',
  'runner',
  'webhook',
  'result',
] as const
export type InboxKind = (typeof INBOX_KINDS)[number]

export const InboxKeySchema = z
  .string()
  .min(1)
  .max(300)
  .meta({ examples: ['result:task_01KF0Q8Y3V5W7X9Z'] })
export const InboxVersionSchema = z
  .string()
  .min(1)
  .max(300)
  .meta({ examples: ['2026-01-01T12:00:00.000Z'] })

const item = {
  key: InboxKeySchema.describe('Identifies the cause; the same for every occurrence'),
  version: InboxVersionSchema.describe(
    'Identifies this occurrence; an item marked as done reopens with a new one',
  ),
  at: z.iso.datetime().describe('When it occurred; for budgets, the current time'),
  mine: z
    .boolean()
    .describe('Whether it concerns your own tasks, calls or webhooks, or the tasks of all users'),
  snoozedUntil: z.iso.datetime().optional(),
}

/** The fields of a completed task that tell one result from another. */
const ReviewedTaskSchema = TaskSchema.pick({
  id: true,
  title: true,
  agent: true,
  repository: true,
  branch: true,
  source: true,
  createdBy: true,
  createdAt: true,
  startedAt: true,
  completedAt: true,
  waitingMs: true,
  cost: true,
  threadId: true,
}).extend({
  brief: ResultBriefSchema.optional().describe('What the result says and changed; absent of imported tasks'),
})
export type ReviewedTask = z.output<typeof ReviewedTaskSchema>

export const InboxItemSchema = z
  .discriminatedUnion('kind', [
    z.object({ kind: z.literal('approval'), ...item, approval: ApprovalSchema }),
    z.object({
      kind: z.literal('question'),
      ...item,
      question: QuestionSchema,
      task: ReviewedTaskSchema.describe('Task that asks. A reply to it is the answer'),
    }),
    z.object({ kind: z.literal('failure'), ...item, failure: FailureGroupSchema }),
    z.object({ kind: z.literal('hold'), ...item, hold: HoldSchema }),
    z.object({
      kind: z.literal('budget'),
      ...item,
      waiting: z.number().describe('Number of tasks waiting for a budget'),
      until: z.iso.datetime().optional().describe('Start of the next month'),
    }),
    z.object({
      kind: z.literal('runner'),
      ...item,
      reason: z.string().describe('Why no runner takes the tasks'),
      taskIds: z.array(z.string()).describe('Oldest of the tasks, at most 5'),
      waiting: z
        .number()
        .describe('Number of tasks waiting for this reason, among the 100 oldest queued tasks'),
    }),
    z.object({ kind: z.literal('webhook'), ...item, webhook: WebhookSchema }),
    z.object({ kind: z.literal('result'), ...item, task: ReviewedTaskSchema }),
  ])
  .meta({
    id: 'InboxItem',
    examples: [
      {
        kind: 'result',
        key: 'result:task_01KF0Q8Y3V5W7X9Z',
        version: '2026-01-01T12:00:00.000Z',
        at: '2026-01-01T12:00:00.000Z',
        mine: true,
        task: {
          id: 'task_01KF0Q8Y3V5W7X9Z',
          title: 'Guard total() against an empty cart',
          agent: 'coding-agent',
          source: 'api',
          createdBy: 'local',
          createdAt: '2026-01-01T11:58:00.000Z',
          completedAt: '2026-01-01T12:00:00.000Z',
          brief: {
            text: 'total() answers 0 for an empty cart.',
            changes: { files: 2, additions: 33, deletions: 10 },
          },
        },
      },
    ],
  })
export type InboxItem = z.output<typeof InboxItemSchema>
export type InboxItemOf<Kind extends InboxKind> = Extract<InboxItem, { kind: Kind }>

export const InboxCountsSchema = z.object({
  open: z.number(),
  snoozed: z.number(),
  ofKind: z.record(z.enum(INBOX_KINDS), z.number()).describe('Number of open items by kind'),
})
export type InboxCounts = z.output<typeof InboxCountsSchema>
