import { definedFields } from '../core/defined-fields.ts'
import { Problem } from '../core/errors.ts'
import { rightsEnded } from '../core/rights-watch.ts'
import type { SecurityMode } from '../core/security-mode.ts'
import { addUsage, NO_USAGE } from '../core/token-usage.ts'
import { boundedAnswer, boundedCalls, boundedPrompt } from './bounds.ts'
import { toConversation } from './conversations.ts'
import { isLeased, leasedWrite, type TurnLeases, turnCancelled, turnLost } from './leases.ts'
import { createMessageRow } from './messages.ts'
import type { TurnNeeds } from './needs.ts'
import {
  type ChatTurnRow,
  type ConversationRow,
  chatMessages,
  chatTurns,
  conversations as conversationRows,
} from './rows.ts'
import type { Turn, TurnProgress } from './turn.ts'
import { endWaiting, findWaiting, INTERRUPTED, LONGEST_WAIT_MS, lostTurn } from './waiting.ts'

/** What the turn goes on with, besides what it has done. */
type Reopen = { securityMode: SecurityMode; temperature: number | undefined }

export type Parking = ReturnType<typeof createParking>

/** Stores turns that wait for approvals, and takes them up again after a decision, in any process. */
export const createParking = (needs: TurnNeeds, leases: TurnLeases) => {
  const { store, clock, ids, snapshots, isDisabled } = needs
  const messageRow = createMessageRow(needs)

  const stored = ({ spent }: Turn, { messages, toolCalls, steps, usage }: TurnProgress) => ({
    messages: boundedPrompt(messages),
    toolCalls: boundedCalls(toolCalls),
    steps,
    usage: addUsage(spent, usage),
  })

  /** Stores a turn that begins to wait, with the message for its answer. */
  const insert = async (turn: Turn, progress: TurnProgress, reopen: Reopen): Promise<void> => {
    const { conversation, userId, target, token, messageCount } = turn
    const { id } = conversation
    const { securityMode, temperature } = reopen
    const options = { userId, securityMode, ...target, ...definedFields({ temperature }) }
    const { usage, toolCalls, ...rest } = stored(turn, progress)
    const content = boundedAnswer(progress.text)
    const message = messageRow(id, messageCount, { role: 'assistant', ...target, content, usage, toolCalls })
    const { number: answer, createdAt } = message
    const row = { conversationId: id, answer, wakes: 0, options, ...rest, usage, toolCalls, createdAt }
    const waitingUntil = clock.now() + LONGEST_WAIT_MS
    await leases.commit(
      id,
      token,
      { set: { messageCount: messageCount + 1, updatedAt: createdAt, waitingUntil } },
      [
        { insert: chatMessages, row: message },
        { insert: chatTurns, row },
      ],
    )
    turn.answer = answer
  }

  /**
   * Stores a turn whose calls wait, if it is not stored yet. Resolves to its `wakes`: the approvals are looked at once
   * more after that, which finds the decisions made before; `park` finds those made since.
   */
  const storeWaiting = async (turn: Turn, progress: TurnProgress, reopen: Reopen): Promise<number> => {
    if (turn.answer === undefined) await insert(turn, progress, reopen)
    const row = await store.get(chatTurns, turn.conversation.id)
    if (row === undefined) throw turnLost(row)
    return row.wakes
  }

  /** Releases the lease of a waiting turn, unless a decision came after `wakes` was read; then false. */
  const park = async (turn: Turn, progress: TurnProgress, wakes: number): Promise<boolean> => {
    const { conversation, token, answer = '' } = turn
    const { id } = conversation
    const notice = await snapshots.storeFiles(id, token)
    const set = stored(turn, progress)
    const { toolCalls, usage } = set
    const outcome = await store.commit<ConversationRow>(
      leasedWrite(id, token, {
        when: { turnCancelled: null },
        set: { waitingUntil: clock.now() + LONGEST_WAIT_MS },
        unset: ['turnToken', 'turnUntil'],
      }),
      [
        { update: chatTurns, key: id, when: { wakes }, set },
        {
          update: chatMessages,
          key: [id, answer],
          set: { toolCalls, usage, ...definedFields({ notice }) },
        },
      ],
    )
    if (!outcome.applied && outcome.refused === 0)
      throw outcome.row?.turnToken === token ? turnCancelled() : turnLost(outcome.row)
    if (outcome.applied) leases.drop(token)
    return outcome.applied
  }

  /** Takes the lease of a conversation whose turn waits; undefined when another process has it, or no turn waits. */
  const take = async (conversation: ConversationRow) => {
    const { id, messageCount } = conversation
    const token = ids.next('turn')
    const { applied } = await store.commit<ConversationRow>({
      update: conversationRows,
      key: id,
      when: { turnToken: null },
      set: { turnToken: token, turnUntil: leases.until() },
      unset: ['turnCancelled'],
    })
    if (!applied) return undefined
    const row = await findWaiting(store, id)
    if (row === undefined) {
      await leases.release(id, token)
      return undefined
    }
    const { options, messages, answer, toolCalls, steps, usage } = row
    const { userId, provider, model } = options
    // The session that began the turn may have ended meanwhile: a person has just decided that it goes on.
    const signal = leases.renew(id, token, { holds: async () => !(await isDisabled(userId)) })
    const turn: Turn = {
      conversation: toConversation(conversation),
      messages,
      messageCount,
      target: { provider, model },
      spent: NO_USAGE,
      userId,
      token,
      signal,
      answer,
      stopped: { toolCalls, steps, usage },
    }
    return { turn, options }
  }

  /**
   * Takes up the waiting turn of a conversation after a decision; undefined when there is none, or another process has
   * it. The process with the lease may be dead: until that is certain, Problem `unavailable` `turn_under_way` has the
   * message of the decision delivered again; then the turn ends as interrupted.
   */
  const claimWaiting = async (conversationId: string) => {
    const { applied } = await store.commit<ChatTurnRow>({
      update: chatTurns,
      key: conversationId,
      add: { wakes: 1 },
    })
    const conversation = applied ? await store.get(conversationRows, conversationId) : undefined
    if (conversation === undefined) return undefined
    if (isLeased(conversation, clock))
      throw new Problem('unavailable', 'turn_under_way', 'The turn of the conversation is under way')
    const isOfDisabled = await isDisabled(conversation.userId)
    const waiting = await findWaiting(store, conversationId)
    const lost = lostTurn(waiting)
    if (conversation.turnToken === undefined && !isOfDisabled && !lost) return take(conversation)
    const { code, message } = rightsEnded()
    const error = isOfDisabled ? { code, message } : (lost ?? INTERRUPTED)
    await endWaiting(needs, conversation, waiting, { error })
    return undefined
  }

  return { storeWaiting, park, claimWaiting }
}
