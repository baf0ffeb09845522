import type { InboxItem, InboxItemOf } from '../../../../lib/inbox/schema.ts'
import { mostMarked } from './at-build.ts'
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

type Query = { scope: InboxScope; state: InboxState; limit?: number }

const useListed = (query: Query) =>
  useLive([...key, query], (signal) => client.listInbox({ query }, { signal }), EVERY_MS.calm, {
    getPeriodEnd: (inbox, now) =>
      Math.min(now + LOOK_AGAIN_MS, Date.parse(inbox?.wakesAt ?? '') || Number.POSITIVE_INFINITY),
  })

/** Approvals first, oldest first, then the rest, newest first. */
export const useInbox = (scope: InboxScope, state: InboxState) => useListed({ scope, state })

/** Of the user's open and snoozed items. */
export const useInboxCounts = () => useListed({ scope: 'mine', state: 'open', limit: 0 }).data?.counts

type Marked = Parameters<typeof client.completeInboxItems>[0]['body']['items']

/** One request after the other, each with as many items as the service takes. */
const inParts = async (items: readonly MarkedItem[], send: (part: Marked) => Promise<unknown>) => {
  for (let at = 0; at < items.length; at += mostMarked)
    await send(items.slice(at, at + mostMarked).map(({ key, version }) => ({ key, version })))
}

export const useComplete = () =>
  useChange(
    (some: readonly MarkedItem[]) => inParts(some, (items) => client.completeInboxItems({ body: { items } })),
    key,
  )

export const useSnooze = () =>
  useChange(
    ({ items: some, until }: { items: readonly MarkedItem[]; until: string }) =>
      inParts(some, (items) => client.snoozeInboxItems({ body: { items, until } })),
    key,
  )

export const useReopen = () =>
  useChange(
    (some: readonly MarkedItem[]) => inParts(some, (items) => client.reopenInboxItems({ body: { items } })),
    key,
  )
