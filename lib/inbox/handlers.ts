import type { Handlers } from '../http/route.ts'
import type { inboxRoutes } from './contract.ts'
import type { Inbox } from './service.ts'

type Needs = { inbox: Inbox }

export const inboxHandlers = ({ inbox }: Needs): Handlers<typeof inboxRoutes> => ({
  listInbox: ({ query }, { principal }) => inbox.list(principal, query),
  completeInboxItems: async ({ body }, { principal }) => ({
    message: 'Marked as done',
    count: await inbox.complete(principal, body.items),
  }),
  snoozeInboxItems: async ({ body }, { principal }) => ({
    message: 'Snoozed',
    count: await inbox.snooze(principal, body.items, body.until),
  }),
  reopenInboxItems: async ({ body }, { principal }) => ({
    message: 'Reopened',
    count: await inbox.reopen(principal, body.items),
  }),
})
