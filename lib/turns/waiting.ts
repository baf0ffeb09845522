import { lostFields, lostText } from '../core/truncated.ts'
import { leaseHolds } from '../core/wrong-clock.ts'
import type { AnyWrite, Store } from '../ports/store.ts'
import { TURN_FIELDS } from './leases.ts'
import { type ChatTurnRow, type ConversationRow, chatMessages, chatTurns, conversations } from './rows.ts'
import type { AnswerError, ChatToolCall } from './schema.ts'

/** The longest wait of a turn for approvals, which expire long before. */
export const LONGEST_WAIT_MS = 3_600_000

export const stillWaits = (waitingUntil: number, now: number): boolean =>
  leaseHolds(waitingUntil, LONGEST_WAIT_MS, now)

/** Denies approvals that no turn waits for any more; the audit records their calls with the reason. */
export type WithdrawApprovals = (ids: readonly string[], reason: string) => Promise<void>

export const pendingApprovals = (toolCalls: readonly ChatToolCall[]) =>
  toolCalls.flatMap(({ status, approvalId, id, name, arguments: params }) =>
    status === 'pending' && approvalId !== undefined
      ? [{ id: approvalId, toolCallId: id, toolName: name, params }]
      : [],
  )

export const pendingApprovalIds = (toolCalls: readonly ChatToolCall[] = []): string[] =>
  pendingApprovals(toolCalls).map(({ id }) => id)

/** The calls of an ended turn: those that waited were not made. */
export const withoutPending = (toolCalls: readonly ChatToolCall[]): ChatToolCall[] =>
  toolCalls.map((call) =>
    call.status === 'pending' ? { ...call, status: 'error', result: 'The call was not made.' } : call,
  )

/** Calls that storage has lost stay as they are. */
const endedCalls = (waiting: ChatTurnRow) =>
  lostFields(waiting, ['toolCalls']).length > 0 ? {} : { toolCalls: withoutPending(waiting.toolCalls) }

export const findWaiting = (store: Store, conversationId: string): Promise<ChatTurnRow | undefined> =>
  store.get(chatTurns, conversationId, true)

/** The error of a turn that cannot continue, since what it waited with is gone. */
export const lostTurn = (waiting: ChatTurnRow | undefined): AnswerError | undefined => {
  const lost = lostFields(waiting ?? {}, ['messages', 'toolCalls'])
  return lost.length === 0
    ? undefined
    : { code: 'stored_data_lost', message: `The turn cannot continue: ${lostText(lost)}` }
}

/** The error of a turn whose process died. Some of its calls may have been made, so it is never continued. */
export const INTERRUPTED = { code: 'interrupted', message: 'The service was interrupted during this turn' }

/**
 * Ends a waiting turn in the state that was read: its message has the error, and its approvals are withdrawn for the
 * reason. False when it has continued since the read.
 */
export const endWaiting = async (
  { store, withdrawApprovals }: { store: Store; withdrawApprovals: WithdrawApprovals },
  row: ConversationRow,
  waiting: ChatTurnRow | undefined,
  { error, reason = 'its turn was interrupted' }: { error: AnswerError; reason?: string },
): Promise<boolean> => {
  const { id, waitingUntil = null, turnToken = null } = row
  const rows: AnyWrite[] = waiting
    ? [
        { remove: chatTurns, key: id },
        { update: chatMessages, key: [id, waiting.answer], set: { error, ...endedCalls(waiting) } },
      ]
    : []
  const { applied } = await store.commit<ConversationRow>(
    { update: conversations, key: id, when: { waitingUntil, turnToken }, unset: TURN_FIELDS },
    rows,
  )
  if (applied) await withdrawApprovals(pendingApprovalIds(waiting?.toolCalls), reason)
  return applied
}
