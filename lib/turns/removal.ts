import { errorMessage } from '../core/errors.ts'
import { rowPages } from '../core/page.ts'
import type { Principal } from '../core/principal.ts'
import { iso } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { Store } from '../ports/store.ts'
import type { Conversations } from './conversations.ts'
import { isLeased, LEASE_MS, turnLeaseHolds } from './leases.ts'
import {
  type ConversationRow,
  chatMessages,
  chatTurns,
  conversationRemovals,
  conversations as conversationRows,
  REMOVALS,
  type RemovalRow,
  workspaceSnapshots,
} from './rows.ts'

const REMOVED_AT_ONCE = 50
/** The most rows that one run removes, and that a request removes. */
const MOST_REMOVED = 1_000
const MOST_IN_REQUEST = 250
const REMOVALS_OF_A_PAGE = 20

type Needs = {
  store: Store
  clock: Pick<Clock, 'now'>
  log: Log
  conversations: Pick<Conversations, 'own'>
  /** Stops the turn of a conversation if it runs in this process. */
  stopTurn: (conversationId: string) => void
  /** Whether a turn runs here; absent where other processes run turns, whose leases show it. */
  hasTurn?: ((conversationId: string) => boolean) | undefined
  /** Stops and removes agent sessions with their events, at most `most` rows. */
  forgetSessions: (conversationId: string, most: number) => Promise<{ removed: number; isDone: boolean }>
  /** Removes approvals and the allowlist, at most `most` rows; resolves to their number. */
  forgetApprovals: (conversation: { userId: string; conversationId: string }, most: number) => Promise<number>
  /** Does nothing where workspaces are on the disks of other processes, which remove them later. */
  removeWorkspace: (conversationId: string) => Promise<void>
}

export type ConversationRemoval = ReturnType<typeof createConversationRemoval>

/** Deletes conversations with all that belongs to them. Audit records stay. */
export const createConversationRemoval = (needs: Needs) => {
  const { store, clock, log, conversations, stopTurn, hasTurn } = needs
  const { forgetSessions, forgetApprovals, removeWorkspace } = needs

  const removeMessages = async (id: string, most: number): Promise<number> => {
    let removed = 0
    while (removed < most) {
      const limit = Math.min(REMOVED_AT_ONCE, most - removed)
      const selection = { index: 'ofConversation', is: id, order: 'asc', limit } as const
      const { rows, next } = await store.page(chatMessages, selection)
      await Promise.all(rows.map(({ number }) => store.commit({ remove: chatMessages, key: [id, number] })))
      removed += rows.length
      if (next === undefined) break
    }
    return removed
  }

  /**
   * Removes at most `most` rows of a deleted conversation; resolves to their number. Rows that other users see come
   * first. A turn that was running may still add rows, so the removal ends only after it.
   */
  const removeSome = async ({ id, userId, busyUntil = 0 }: RemovalRow, most: number): Promise<number> => {
    const isBusy = hasTurn ? hasTurn(id) : turnLeaseHolds(busyUntil, clock.now())
    let removed = await forgetApprovals({ userId, conversationId: id }, most)
    if (removed >= most) return removed
    const sessions = await forgetSessions(id, most - removed)
    removed += sessions.removed
    if (removed >= most) return removed
    removed += await removeMessages(id, most - removed)
    if (removed >= most) return removed
    await store.commit({ remove: chatTurns, key: id })
    if (!sessions.isDone || isBusy) return removed
    await store.commit({ remove: workspaceSnapshots, key: id })
    await removeWorkspace(id)
    await store.commit({ remove: conversationRemovals, key: [REMOVALS, id] })
    return removed
  }

  const takeAway = async (row: ConversationRow): Promise<RemovalRow | undefined> => {
    const { id, userId, turnToken = null } = row
    const now = clock.now()
    const removal: RemovalRow = {
      id,
      userId,
      space: REMOVALS,
      requestedAt: iso(now),
      ...(isLeased(row, clock) ? { busyUntil: now + LEASE_MS } : {}),
    }
    const { applied } = await store.commit<ConversationRow>(
      { remove: conversationRows, key: id, when: { userId, turnToken } },
      [{ insert: conversationRemovals, row: removal }],
    )
    return applied ? removal : undefined
  }

  /** Deletes a conversation and cancels its turn; `removeDeleted` removes the rest. Throws Problem `missing`. */
  const remove = async (principal: Principal, id: string): Promise<void> => {
    let removal: RemovalRow | undefined
    // A turn may begin or end between the read and the write.
    while (removal === undefined) removal = await takeAway(await conversations.own(principal, id))
    stopTurn(id)
    try {
      await removeSome(removal, MOST_IN_REQUEST)
    } catch (thrown) {
      log.warn(
        { conversationId: id, reason: errorMessage(thrown) },
        'the rows of a deleted conversation are removed later',
      )
    }
  }

  /** Removes rows of deleted conversations, at most a thousand; the next run continues. */
  const removeDeleted = async (): Promise<number> => {
    const selection = { index: 'ofSpace', is: REMOVALS, order: 'asc', limit: REMOVALS_OF_A_PAGE } as const
    let removed = 0
    for await (const rows of rowPages((from) => store.page(conversationRemovals, { ...selection, ...from })))
      for (const removal of rows) {
        removed += await removeSome(removal, MOST_REMOVED - removed)
        if (removed >= MOST_REMOVED) return removed
      }
    return removed
  }

  return { remove, removeDeleted }
}
