import { Problem } from '../core/errors.ts'
import type { Principal } from '../core/principal.ts'
import type { Clock } from '../ports/clock.ts'
import type { Store } from '../ports/store.ts'
import type { Conversations } from './conversations.ts'
import { isLeased, turnCancelled } from './leases.ts'
import { type ConversationRow, conversations as conversationRows } from './rows.ts'
import { endWaiting, findWaiting, pendingApprovals, type WithdrawApprovals } from './waiting.ts'

type Needs = {
  store: Store
  clock: Pick<Clock, 'now'>
  conversations: Pick<Conversations, 'own'>
  /** Stops the turn of a conversation if it runs in this process. */
  stopTurn: (conversationId: string) => void
  withdrawApprovals: WithdrawApprovals
}

/** A turn may begin to wait, or continue, between the read and the write; each lost race is progress of the turn. */
const TRIES = 8

export type CancelTurn = ReturnType<typeof createCancelTurn>

/**
 * Cancels the turn of a conversation. A turn in this process stops at once, a turn in another process at the next renewal
 * of its lease; a turn that waits for approval has ended when this resolves. Throws Problem `missing`, and `invalid`
 * `turn_state_conflict` when there is no turn.
 */
export const createCancelTurn = (needs: Needs) => {
  const { store, clock, conversations, stopTurn, withdrawApprovals } = needs

  /** False when the conversation's turn is another one now, or has changed its state. */
  const stop = async ({ id, turnToken }: ConversationRow): Promise<boolean> => {
    const { applied } = await store.commit<ConversationRow>({
      update: conversationRows,
      key: id,
      when: { turnToken: turnToken ?? null },
      set: { turnCancelled: true },
    })
    if (applied) stopTurn(id)
    return applied
  }

  /** The approvals that the turn waited for; undefined when it has changed its state. */
  const attempt = async (row: ConversationRow): Promise<string[] | undefined> => {
    const isGoingOn = isLeased(row, clock)
    if (!isGoingOn && row.waitingUntil === undefined) throw noTurn()
    const waiting = row.waitingUntil === undefined ? undefined : await findWaiting(store, row.id)
    const { code, message } = turnCancelled()
    const isDone = isGoingOn ? await stop(row) : await endWaiting(store, row, waiting, { code, message })
    return isDone ? pendingApprovals(waiting?.toolCalls ?? []).map(({ id }) => id) : undefined
  }

  return async (principal: Principal, id: string): Promise<void> => {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const unanswered = await attempt(await conversations.own(principal, id))
      if (unanswered !== undefined) return withdrawApprovals(unanswered, 'the turn was cancelled')
    }
    throw new Problem('unavailable', 'turn_busy', 'The turn stands otherwise by now: try again')
  }
}

const noTurn = () =>
  new Problem('invalid', 'turn_state_conflict', 'No turn of this conversation goes on or waits for approval')
