import { estimateTokens, estimateToolTokens, promptTokenLimit } from '../core/context-window.ts'
import { CONTROLS } from '../core/controls.ts'
import { cutText } from '../core/cut-text.ts'
import { missing, Problem } from '../core/errors.ts'
import type { Principal } from '../core/principal.ts'
import { iso } from '../core/time.ts'
import { timeLimit } from '../core/time-limit.ts'
import { addUsage } from '../core/token-usage.ts'
import { refuseLost } from '../core/truncated.ts'
import type { ToolSpec } from '../ports/model.ts'
import type { ChatCompaction } from './compaction.ts'
import { type ChatContext, type Known, systemText } from './context.ts'
import { toConversation } from './conversations.ts'
import type { FinishTurn } from './finish.ts'
import { isLeased, type TurnLeases } from './leases.ts'
import { createMessageRow, toMessage } from './messages.ts'
import type { TurnNeeds } from './needs.ts'
import {
  type ConversationRow,
  chatMessages,
  conversations as conversationRows,
  type MessageRow,
} from './rows.ts'
import type { ChatToolCall } from './schema.ts'
import type { BegunTurn } from './turn.ts'
import { endWaiting, findWaiting, INTERRUPTED, pendingApprovals, stillWaits } from './waiting.ts'

const LONGEST_TITLE = 80

type TurnMessage = { role: 'user' | 'assistant'; content: string }

type Ask = {
  provider?: string | undefined
  model?: string | undefined
  /** Instructions for the model, before the system prompt. */
  instructions?: string
  /** Replaces the conversation's own system prompt. */
  systemPrompt?: string | undefined
  /** The tools that the model gets: they count towards the window. */
  specs?: readonly ToolSpec[]
  /** Aborts the begin of the turn, which may have to make a summary; the turn's time limit, for example. */
  signal?: AbortSignal
}
type BeginTurn = Ask & { content: string }
/** `system` goes to the model and is not stored; `known` is added to the context of the conversation. */
type OpenTurn = Ask & { messages: readonly TurnMessage[]; system?: readonly string[]; known?: Known }

type Parts = Pick<ChatContext, 'ofConversation'> & {
  compaction: ChatCompaction
  leases: TurnLeases
  release: FinishTurn['release']
}

const underWay = () =>
  new Problem(
    'invalid',
    'turn_under_way',
    'Another turn of this conversation is running. Wait for its answer',
  )

const firstLineTitle = (content: string): string => {
  const line = content.replaceAll(new RegExp(CONTROLS, 'gu'), '\n').trim().split('\n', 1)[0]?.trim() ?? ''
  return line.length > LONGEST_TITLE ? `${cutText(line, LONGEST_TITLE - 1).trim()}…` : line
}

/** Begins turns of conversations: the messages of the user are stored with the lease, and the prompt is made. */
export const createBegin = (needs: TurnNeeds, { ofConversation, compaction, leases, release }: Parts) => {
  const { store, clock, ids, models, conversations } = needs
  const { firstByteMs, holdsRights, takeTurnSlot } = needs
  const messageRow = createMessageRow(needs)

  /** Throws while a turn waits for approval; ends one that expired, or whose process died. */
  const withoutWaiting = async (row: ConversationRow): Promise<ConversationRow> => {
    const { id, userId, waitingUntil, turnToken } = row
    if (waitingUntil === undefined) return row
    const waiting = await findWaiting(store, id)
    const isExpired = !stillWaits(waitingUntil, clock.now())
    if (!isExpired && turnToken === undefined) throw approvalPending(waiting?.toolCalls ?? [])
    const expired = { code: 'approval_expired', message: 'The tool calls were not decided in time' }
    await endWaiting(needs, row, waiting, { error: isExpired ? expired : INTERRUPTED })
    return conversations.own({ userId }, id)
  }

  /** Stores the user's messages and takes the lease, within the number of turns that a user may have open. */
  const acquire = async (principal: Principal, row: ConversationRow, messages: readonly TurnMessage[]) => {
    const { id, userId, messageCount, turnToken = null } = row
    const token = ids.next('turn')
    const rows = messages.map((message, at) => messageRow(id, messageCount + at, message))
    const first = messages.find(({ role }) => role === 'user')?.content ?? ''
    const title = row.untitled ? firstLineTitle(first) : ''
    const free = await takeTurnSlot(principal.userId)
    try {
      const { applied, row: leased } = await store.commit<ConversationRow>(
        {
          update: conversationRows,
          key: id,
          when: { userId, messageCount, turnToken, waitingUntil: null },
          set: {
            messageCount: messageCount + rows.length,
            updatedAt: iso(clock.now()),
            turnToken: token,
            turnUntil: leases.until(),
            ...(title === '' ? {} : { title }),
          },
          unset: ['turnCancelled', ...(title === '' ? [] : ['untitled' as const])],
        },
        rows.map((one) => ({ insert: chatMessages, row: one })),
        true,
      )
      if (!applied) throw leased === undefined ? missing('Conversation') : underWay()
      const signal = leases.renew(id, token, { holds: () => holdsRights(principal), free })
      return { token, signal, leased: leased ?? row, last: rows.findLast(({ role }) => role === 'user') }
    } catch (thrown) {
      await free()
      throw thrown
    }
  }

  const createSystemPrompt = async (row: ConversationRow, given: OpenTurn) => {
    const query = given.messages.findLast(({ role }) => role === 'user')?.content ?? ''
    const own = await ofConversation(row, query)
    const known = {
      ...own,
      ...given.known,
      memory: given.known?.memory.length ? given.known.memory : own.memory,
    }
    const { instructions } = given
    const systemPrompt = [given.systemPrompt ?? row.systemPrompt, ...(given.system ?? [])]
      .filter((text) => text !== undefined)
      .join('\n\n')
    return (summary: string | undefined) => systemText({ ...known, systemPrompt, instructions, summary })
  }

  const open = async (principal: Principal, id: string, given: OpenTurn): Promise<BegunTurn> => {
    const target = models.resolve(given)
    const conversation = await conversations.own(principal, id)
    if (isLeased(conversation, clock)) throw underWay()
    if (given.systemPrompt === undefined)
      refuseLost(conversation, ['systemPrompt'], 'This conversation cannot continue. Start a new one')
    const { specs = [] } = given
    const system = await createSystemPrompt(conversation, given)
    // A summary takes the room that is left.
    const content = system(undefined)
    refuseTooLong([{ content }, ...given.messages], specs, models.contextTokens(target))
    const row = await withoutWaiting(conversation)
    const { token, signal, leased, last } = await acquire(principal, row, given.messages)
    try {
      using limit = timeLimit(clock, firstByteMs, given.signal)
      const ending = AbortSignal.any([limit.signal, signal])
      const prepare = (conversation: ConversationRow, until: AbortSignal) =>
        compaction.prepare({
          conversation,
          target,
          system,
          specs,
          signal: until,
          storeSummary: (summary) => leases.commit(id, token, { set: summary }),
        })
      const { messages, compaction: done, usage } = await prepare(leased, ending)
      const turn: BegunTurn = {
        conversation: toConversation(leased),
        userMessage: toMessage(last as MessageRow),
        messages,
        messageCount: leased.messageCount,
        target,
        spent: usage,
        token,
        signal,
        release: () => release(turn),
        userId: principal.userId,
        ...(done ? { compaction: done } : {}),
        compacted: async () => {
          // An earlier summary of this turn is in the row.
          const again = await prepare((await store.get(conversationRows, id, true)) ?? leased, signal)
          turn.spent = addUsage(turn.spent, again.usage)
          if (again.compaction) turn.compaction = again.compaction
          return again.messages
        },
      }
      return turn
    } catch (thrown) {
      await release({ conversation, token }).catch(() => undefined)
      throw thrown
    }
  }

  /**
   * Begins a turn: stores the user's message, and makes the prompt. Throws Problem `missing` for a conversation of
   * another user, `invalid` `turn_under_way` while another turn is running, `approval_pending` while one waits for
   * approval, `model_unknown`, and `message_too_long` for the model's window. The caller finishes or releases the turn.
   */
  const begin = (principal: Principal, id: string, { content, ...more }: BeginTurn): Promise<BegunTurn> =>
    open(principal, id, { ...more, messages: [{ role: 'user', content }] })

  return { begin, open }
}

const approvalPending = (toolCalls: readonly ChatToolCall[]) =>
  new Problem(
    'invalid',
    'approval_pending',
    'The last turn is waiting for approval. Allow or deny its tool calls first',
    {
      details: { pendingApprovals: pendingApprovals(toolCalls) },
    },
  )

/** No new message can be left out of the prompt, and the answer needs room too. */
const refuseTooLong = (
  messages: readonly { content: string }[],
  specs: readonly ToolSpec[],
  window: number,
): void => {
  if (estimateToolTokens(specs) + estimateTokens(messages) <= promptTokenLimit(window)) return
  const what = 'The message, with the system prompt and the tools,'
  const message = `${what} exceeds the context window of the model (${window} tokens, including the answer)`
  throw new Problem('invalid', 'message_too_long', message)
}
