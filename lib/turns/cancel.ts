import { Problem } from '../core/errors.ts'
import type { Principal } from '../core/principal.ts'
import { isLeased, type TurnLeases, turnCancelled } from './leases.ts'
import type { TurnNeeds } from './needs.ts'
import { type ChatTurnRow, type ConversationRow, conversations as conversationRows } from './rows.ts'
import { endWaiting, findWaiting, pendingApprovalIds } from './waiting.ts'

/** A turn may begin to wait, or continue, between the read and the write; each lost race is progress of the turn. */
const TRIES = 8
const REASON = 'the turn was cancelled'

/**
 * Cancels the turn of a conversation. A turn in this process stops at once, a turn in another process at the next renewal
 * of its lease; a turn that waits for approval has ended when this resolves. Throws Problem `missing`, and `invalid`
 * `turn_state_conflict` when there is no turn.
 */
export const createCancelTurn = (needs: TurnNeeds, leases: TurnLeases) => {
  const { store, clock, conversations, withdrawApprovals } = needs

  const stop = async (row: ConversationRow, waiting: ChatTurnRow | undefined): Promise<boolean> => {
    const { id, turnToken = null } = row
    const { applied } = await store.commit<ConversationRow>({
      update: conversationRows,
      key: id,
      when: { turnToken },
      set: { turnCancelled: true },
    })
    if (!applied) return false
    leases.stop(id)
    await withdrawApprovals(pendingApprovalIds(waiting?.toolCalls), REASON)
    return true
  }

  /** False when the conversation's turn is another one now, or has changed its state. */
  const attempt = async (row: ConversationRow): Promise<boolean> => {
    const isGoingOn = isLeased(row, clock)
    if (!isGoingOn && row.waitingUntil === undefined) throw noTurn()
    const waiting = row.waitingUntil === undefined ? undefined : await findWaiting(store, row.id)
    const { code, message } = turnCancelled()
    return isGoingOn
      ? stop(row, waiting)
      : endWaiting(needs, row, waiting, { error: { code, message }, reason: REASON })
  }

  return async (principal: Principal, id: string): Promise<void> => {
    for (let tries = 0; tries < TRIES; tries += 1)
      if (await attempt(await conversations.own(principal, id))) return
    throw new Problem('unavailable', 'turn_busy', 'The turn has just changed. Try again')
  }
}

const noTurn = () =>
  new Problem('invalid', 'turn_state_conflict', 'No turn of this conversation is running or waiting')
