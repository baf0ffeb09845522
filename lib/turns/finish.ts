import { toAnswerError } from '../core/answer-error.ts'
import { definedFields } from '../core/defined-fields.ts'
import { iso } from '../core/time.ts'
import type { TokenUsage } from '../core/token-usage.ts'
import type { AnyWrite } from '../ports/store.ts'
import { boundedAnswer, boundedCalls } from './bounds.ts'
import { TURN_FIELDS, type TurnLeases, turnLost } from './leases.ts'
import { createMessageRow, toMessage } from './messages.ts'
import type { TurnNeeds } from './needs.ts'
import { chatMessages, chatTurns } from './rows.ts'
import type { AnswerError, ChatMessage, ChatToolCall } from './schema.ts'
import type { Turn } from './turn.ts'
import { pendingApprovalIds, withoutPending } from './waiting.ts'

type TurnAnswer = {
  content: string
  toolCalls?: readonly ChatToolCall[]
  usage: TokenUsage
  provider: string
  model: string
  fallbackFrom?: string | undefined
  error?: AnswerError
  sessionId?: string | undefined
}

type PartialAnswer = Pick<TurnAnswer, 'content' | 'toolCalls' | 'usage' | 'sessionId'>

export type FinishTurn = ReturnType<typeof createFinish>

/** Ends turns: with the answer, with the reason why there is none, or without any. The lease is released. */
export const createFinish = (needs: TurnNeeds, leases: TurnLeases) => {
  const { store, clock, snapshots, withdrawApprovals } = needs
  const messageRow = createMessageRow(needs)

  /** The stored answer of a turn that has waited. */
  const readAnswer = async ({ conversation, answer = '' }: Turn): Promise<ChatMessage> => {
    const row = await store.get(chatMessages, [conversation.id, answer], true)
    if (row === undefined) throw turnLost(row)
    return toMessage(row)
  }

  /**
   * Stores the answer: as a new message, or in the one that was made when the turn began to wait, which keeps its earlier
   * text if there is no newer one. Throws Problem `missing` for a deleted conversation, and `unavailable` `turn_lost`.
   */
  const finish = async (
    turn: Turn,
    { content, toolCalls = [], ...more }: TurnAnswer,
  ): Promise<ChatMessage> => {
    const { conversation, token, messageCount, answer } = turn
    const { id } = conversation
    const notice = await snapshots.storeFiles(id, token)
    leases.drop(token)
    const calls = toolCalls.length === 0 ? undefined : boundedCalls(toolCalls)
    const { provider, model, usage, fallbackFrom, error, sessionId } = more
    const facts = {
      provider,
      model,
      usage,
      ...definedFields({ fallbackFrom, toolCalls: calls, error, notice, sessionId }),
    }
    const text = boundedAnswer(content)
    const row = messageRow(id, messageCount, { role: 'assistant', content: text, ...facts })
    const rows: AnyWrite[] =
      answer === undefined
        ? [{ insert: chatMessages, row }]
        : [
            {
              update: chatMessages,
              key: [id, answer],
              set: { ...facts, ...(text !== '' && { content: text }) },
            },
            { remove: chatTurns, key: id },
          ]
    const set = {
      updatedAt: iso(clock.now()),
      ...(answer === undefined && { messageCount: messageCount + 1 }),
    }
    await leases.commit(id, token, { set, unset: TURN_FIELDS }, rows)
    return answer === undefined ? toMessage(row) : readAnswer(turn)
  }

  const release = async ({ conversation: { id }, token }: Pick<Turn, 'conversation' | 'token'>) => {
    await snapshots.storeFiles(id, token)
    await leases.release(id, token)
  }

  /** Ends a failed turn: its text and calls so far are stored with the reason; if there are none, nothing is. */
  const fail = async (turn: Turn, thrown: unknown, partial: PartialAnswer): Promise<void> => {
    const { content, toolCalls = [] } = partial
    if (turn.answer === undefined && content.trim() === '' && toolCalls.length === 0) return release(turn)
    const error = toAnswerError(thrown)
    try {
      await finish(turn, { ...partial, ...turn.target, toolCalls: withoutPending(toolCalls), error })
    } finally {
      // If the conversation cannot be written now, the lease expires.
      leases.drop(turn.token)
    }
    await withdrawApprovals(pendingApprovalIds(toolCalls), `the turn ended before: ${error.message}`)
  }

  return { finish, fail, release, readAnswer }
}
