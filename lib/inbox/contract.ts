import * as z from 'zod'
import { queryInt } from '../core/page.ts'
import { defineRoutes } from '../http/route.ts'
import { InboxCountsSchema, InboxItemSchema, InboxKeySchema, InboxVersionSchema } from './schema.ts'

/** The most items of one request that marks some. */
export const MOST_MARKED = 100

const items = z
  .array(z.object({ key: InboxKeySchema, version: InboxVersionSchema }))
  .min(1)
  .max(MOST_MARKED)
const marked = z.object({ message: z.string(), count: z.number().describe('Number of items in the request') })

const ListInboxQuery = z.object({
  scope: z
    .enum(['mine', 'all'])
    .default('mine')
    .describe(
      '`mine`: items about your own tasks, calls and webhooks, and about what blocks the tasks of all users',
    ),
  state: z.enum(['open', 'snoozed']).default('open'),
  limit: queryInt(0, 1_000).optional().describe('Most items to return; 0 returns only the counts'),
})
export type ListInbox = z.output<typeof ListInboxQuery>

const SnoozeItems = z.object({ items, until: z.iso.datetime({ offset: true }) })

export const inboxRoutes = defineRoutes({
  listInbox: {
    method: 'GET',
    path: '/api/inbox',
    summary: 'List inbox items',
    about:
      'Returns pending approvals first, then questions of agents, then the rest, newest first: failures grouped by cause, usage limits of providers, tasks waiting for a budget or a runner, paused webhooks, and results to review. An item closes when its cause is gone: the call is decided, a retry succeeds, the limit ends, the webhook delivers, or the question or result is replied to or retried. Failures, questions and results cover the last 14 days; questions and results come from the 500 newest completed tasks, at most 100. Of each thread and schedule, only the latest result is listed, but every question. Marking items changes only your own inbox.',
    access: 'session',
    query: ListInboxQuery,
    response: z.object({
      items: z.array(InboxItemSchema),
      counts: InboxCountsSchema,
      wakesAt: z.iso.datetime().optional().describe('When the next snoozed item reopens'),
    }),
  },
  completeInboxItems: {
    method: 'POST',
    path: '/api/inbox/done',
    summary: 'Mark inbox items as done',
    about:
      'Applies only to you and to this occurrence; a new occurrence reopens the item. Approvals must be decided instead: they return 400 `inbox_decision_needed`.',
    access: 'session',
    body: z.object({ items }),
    response: marked,
  },
  snoozeInboxItems: {
    method: 'POST',
    path: '/api/inbox/snooze',
    summary: 'Snooze inbox items',
    about:
      'Hides items from your inbox until a time within the next 30 days. A new occurrence reopens the item earlier.',
    access: 'session',
    body: SnoozeItems,
    response: marked,
  },
  reopenInboxItems: {
    method: 'POST',
    path: '/api/inbox/reopen',
    summary: 'Reopen inbox items',
    about: 'Reopens items that you marked as done or snoozed.',
    access: 'session',
    body: z.object({ items }),
    response: marked,
  },
})
