import * as z from 'zod'
import { defineRoutes } from '../http/route.ts'
import { InboxCountsSchema, InboxItemSchema, InboxKeySchema, InboxVersionSchema } from './schema.ts'

/** The most items of one request that marks some. */
const MOST_MARKED = 100

const items = z
  .array(z.object({ key: InboxKeySchema, version: InboxVersionSchema }))
  .min(1)
  .max(MOST_MARKED)
const marked = z.object({ message: z.string(), count: z.number().describe('The items of the request') })

const ListInboxQuery = z.object({
  scope: z
    .enum(['mine', 'all'])
    .default('mine')
    .describe('`mine`: about your own tasks, calls and webhooks, and what keeps the tasks of all'),
  state: z.enum(['open', 'snoozed']).default('open'),
})
export type ListInbox = z.output<typeof ListInboxQuery>

const SnoozeItems = z.object({ items, until: z.iso.datetime({ offset: true }) })

export const inboxRoutes = defineRoutes({
  listInbox: {
    method: 'GET',
    path: '/api/inbox',
    summary: 'List what needs you: approvals first, then the rest, newest first',
    about:
      'Pending approvals, failures grouped by cause, usage limits of providers, tasks that wait for a budget or a runner, paused webhooks, and results to review. An item closes when its cause ends: the call is decided, a retry of the failures succeeds, the limit is over, the webhook delivers, the result is answered or retried. Failures and results are of the last 14 days; results are found among the 500 newest completed tasks, and at most 100 are listed, the latest of each thread and schedule. What you mark changes your own inbox only.',
    access: 'session',
    query: ListInboxQuery,
    response: z.object({
      items: z.array(InboxItemSchema),
      counts: InboxCountsSchema,
      wakesAt: z.iso.datetime().optional().describe('When the next snoozed item opens again'),
    }),
  },
  completeInboxItems: {
    method: 'POST',
    path: '/api/inbox/done',
    summary: 'Mark items as done',
    about:
      'Only for you, and for this occurrence of each: a new one opens the item again. An approval is done by its decision: 400 `inbox_decision_needed`.',
    access: 'session',
    body: z.object({ items }),
    response: marked,
  },
  snoozeInboxItems: {
    method: 'POST',
    path: '/api/inbox/snooze',
    summary: 'Hide items until a time',
    about: 'Only for you. The time is within 30 days from now. A new occurrence opens an item before.',
    access: 'session',
    body: SnoozeItems,
    response: marked,
  },
  reopenInboxItems: {
    method: 'POST',
    path: '/api/inbox/reopen',
    summary: 'Reopen items that you marked as done or snoozed',
    access: 'session',
    body: z.object({ items }),
    response: marked,
  },
})
