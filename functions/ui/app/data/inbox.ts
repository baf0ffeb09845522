import type { InboxItem, InboxItemOf } from '../../../../lib/inbox/schema.ts'
import { useChange } from './change.ts'
import { client } from './client.ts'
import { EVERY_MS, useLive } from './live.ts'

export type { InboxItem, InboxItemOf }
export type InboxScope = 'mine' | 'all'
export type InboxState = 'open' | 'snoozed'
export type MarkedItem = Pick<InboxItem, 'key' | 'version'>

const key = ['inbox'] as const
/** A webhook that is paused, and the end of a hold, have no event. */
const LOOK_AGAIN_MS = 60_000

/** Approvals first, oldest first, then the rest, newest first. */
export const useInbox = (scope: InboxScope = 'mine', state: InboxState = 'open') =>
  useLive(
    [...key, scope, state],
    (signal) => client.listInbox({ query: { scope, state } }, { signal }),
    EVERY_MS.calm,
    {
      getPeriodEnd: (inbox, now) =>
        Math.min(now + LOOK_AGAIN_MS, Date.parse(inbox?.wakesAt ?? '') || Number.POSITIVE_INFINITY),
    },
  )

export const useInboxCounts = () => useInbox().data?.counts

const only = ({ key, version }: MarkedItem): MarkedItem => ({ key, version })

export const useComplete = () =>
  useChange(
    (items: readonly MarkedItem[]) => client.completeInboxItems({ body: { items: items.map(only) } }),
    key,
  )

export const useSnooze = () =>
  useChange(
    ({ items, until }: { items: readonly MarkedItem[]; until: string }) =>
      client.snoozeInboxItems({ body: { items: items.map(only), until } }),
    key,
  )

export const useReopen = () =>
  useChange(
    (items: readonly MarkedItem[]) => client.reopenInboxItems({ body: { items: items.map(only) } }),
    key,
  )
