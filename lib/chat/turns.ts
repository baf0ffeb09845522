import { estimateTokens, estimateToolTokens, promptTokenLimit } from '../core/context-window.ts'
import { cutText } from '../core/cut-text.ts'
import { definedFields } from '../core/defined-fields.ts'
import { errorMessage, missing, Problem } from '../core/errors.ts'
import type { Principal } from '../core/principal.ts'
import { CONTROLS } from '../core/shown-text.ts'
import { durationText, iso } from '../core/time.ts'
import { addUsage, type TokenUsage } from '../core/token-usage.ts'
import { refuseLost } from '../core/truncated.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { Log } from '../ports/log.ts'
import type { ModelMessage, Models, ToolSpec } from '../ports/model.ts'
import type { Store } from '../ports/store.ts'
import { boundedAnswer, boundedCalls } from './bounds.ts'
import type { ChatCompaction, Summary, Target } from './compaction.ts'
import { type ChatContext, type Known, systemText } from './context.ts'
import { type Conversations, toConversation } from './conversations.ts'
import { leasedWrite, type OpenTurns, TURN_FIELDS, type TurnLeases, turnLost } from './leases.ts'
import { toMessage } from './messages.ts'
import {
  type ConversationRow,
  chatMessages,
  conversations as conversationRows,
  type MessageRow,
  numberText,
} from './rows.ts'
import type { AnswerError, ChatMessage, ChatToolCall, Compaction, Conversation } from './schema.ts'
import type { Snapshots } from './snapshots.ts'
import {
  findWaiting,
  giveUpWaiting,
  INTERRUPTED,
  pendingApprovals,
  stillWaits,
  type WithdrawApprovals,
} from './waiting.ts'

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

/** A turn whose lease this process has, until it is finished or released. */
export type Turn = {
  conversation: Conversation
  userMessage: ChatMessage
  messages: readonly ModelMessage[]
  compaction?: Compaction
  messageCount: number
  target: Target
  spent: TokenUsage
  /** The messages again, compacted for the model's window as it is known now. */
  compacted: () => Promise<readonly ModelMessage[]>
  userId: string
  token: string
  /** Aborts with a Problem when the turn is cancelled or its lease is lost. */
  signal: AbortSignal
  /** Ends the turn without an answer. The next turn sends the user's message together with the next one. */
  release(): Promise<void>
}

export type TurnAnswer = {
  content: string
  toolCalls?: readonly ChatToolCall[]
  usage: TokenUsage
  provider: string
  model: string
  fallbackFrom?: string | undefined
  error?: AnswerError
  notice?: string
  sessionId?: string | undefined
}

type PartialAnswer = Pick<TurnAnswer, 'content' | 'toolCalls' | 'usage' | 'sessionId'>

type Needs = {
  store: Store
  clock: Clock
  ids: Ids
  log: Log
  models: Models
  conversations: Pick<Conversations, 'own'>
  context: Pick<ChatContext, 'ofConversation'>
  compaction: ChatCompaction
  leases: TurnLeases
  /** The time limit of the begin of a turn: an agentic turn sends nothing before. */
  firstByteMs: number
  snapshots: Pick<Snapshots, 'keep'>
  withdrawApprovals: WithdrawApprovals
  holdsRights: (principal: Principal) => Promise<boolean>
  openTurns: OpenTurns
}

const underWay = () =>
  new Problem(
    'invalid',
    'turn_under_way',
    'Another turn of this conversation is under way; wait for its answer',
  )

const firstLineTitle = (content: string): string => {
  const line = content.replaceAll(new RegExp(CONTROLS, 'gu'), '\n').trim().split('\n', 1)[0]?.trim() ?? ''
  return line.length > LONGEST_TITLE ? `${cutText(line, LONGEST_TITLE - 1).trim()}…` : line
}

/** Turns of conversations: `begin` stores the message with the lease, `finish` the answer, and releases it. */
export const createTurns = (needs: Needs) => {
  const { store, clock, ids, models, conversations, context, compaction } = needs
  const { leases, snapshots, firstByteMs, withdrawApprovals, holdsRights, openTurns } = needs

  /** Throws while a turn waits for approval; ends one that expired, or whose process died. */
  const withoutWaiting = async (row: ConversationRow): Promise<ConversationRow> => {
    const { id, userId, waitingUntil, turnToken } = row
    if (waitingUntil === undefined) return row
    const waiting = await findWaiting(store, id)
    const isExpired = !stillWaits(waitingUntil, clock.now())
    if (!isExpired && turnToken === undefined) throw approvalPending(waiting?.toolCalls ?? [])
    const expired = { code: 'approval_expired', message: 'The approvals were not decided on in time' }
    await giveUpWaiting({ store, withdrawApprovals }, row, waiting, isExpired ? expired : INTERRUPTED)
    return conversations.own({ userId }, id)
  }

  const messageRow = (
    conversationId: string,
    number: number,
    message: Omit<ChatMessage, 'id' | 'conversationId' | 'createdAt'>,
  ) =>
    ({
      id: ids.next('msg'),
      conversationId,
      number: numberText(number),
      ...message,
      createdAt: iso(clock.now()),
    }) satisfies MessageRow

  /** Stores the user's messages and takes the lease, within the number of turns that a user may have open. */
  const acquire = async (principal: Principal, row: ConversationRow, messages: readonly TurnMessage[]) => {
    const { id, userId, messageCount, turnToken = null } = row
    const token = ids.next('turn')
    const rows = messages.map((message, at) => messageRow(id, messageCount + at, message))
    const first = messages.find(({ role }) => role === 'user')?.content ?? ''
    const title = row.untitled ? firstLineTitle(first) : ''
    const free = await openTurns(principal.userId)
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
      const signal = leases.keep(id, token, { holds: () => holdsRights(principal), free })
      return { token, signal, leased: leased ?? row, last: rows.findLast(({ role }) => role === 'user') }
    } catch (thrown) {
      await free()
      throw thrown
    }
  }

  const storeSummary = async (id: string, token: string, summary: Summary) => {
    const { applied, row } = await store.commit<ConversationRow>(leasedWrite(id, token, { set: summary }))
    if (!applied) throw turnLost(row)
  }

  const createSystemPrompt = async (row: ConversationRow, given: OpenTurn) => {
    const query = given.messages.findLast(({ role }) => role === 'user')?.content ?? ''
    const own = await context.ofConversation(row, query)
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

  const open = async (principal: Principal, id: string, given: OpenTurn): Promise<Turn> => {
    const target = models.resolve(given)
    const conversation = await conversations.own(principal, id)
    if (leases.isLeased(conversation)) throw underWay()
    if (given.systemPrompt === undefined)
      refuseLost(conversation, ['systemPrompt'], 'The conversation cannot go on; begin a new one')
    const { specs = [] } = given
    const system = await createSystemPrompt(conversation, given)
    // A summary takes the room that is left.
    const content = system(undefined)
    refuseTooLong([{ content }, ...given.messages], specs, models.contextTokens(target))
    const row = await withoutWaiting(conversation)
    const { token, signal, leased, last } = await acquire(principal, row, given.messages)
    const release = async () => {
      await snapshots.keep(id, token)
      await leases.release(id, token)
    }
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
          keep: (summary) => storeSummary(id, token, summary),
        })
      const { messages, compaction: done, usage } = await prepare(leased, ending)
      const turn: Turn = {
        conversation: toConversation(leased),
        userMessage: toMessage(last as MessageRow),
        messages,
        messageCount: leased.messageCount,
        target,
        spent: usage,
        token,
        signal,
        release,
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
      await release().catch(() => undefined)
      throw thrown
    }
  }

  /**
   * Begins a turn: stores the user's message, and makes the prompt. Throws Problem `missing` for a conversation of
   * another user, `invalid` `turn_under_way` while another turn is running, `approval_pending` while one waits for
   * approval, `model_unknown`, and `message_too_long` for the model's window. The caller finishes or releases the turn.
   */
  const begin = (principal: Principal, id: string, { content, ...more }: BeginTurn): Promise<Turn> =>
    open(principal, id, { ...more, messages: [{ role: 'user', content }] })

  const storedAnswerFields = ({ content, toolCalls = [], ...answer }: TurnAnswer) => {
    const { model, provider, usage, fallbackFrom, error, notice, sessionId } = answer
    const calls = toolCalls.length === 0 ? undefined : boundedCalls(toolCalls)
    return {
      role: 'assistant' as const,
      content: boundedAnswer(content),
      model,
      provider,
      usage,
      ...definedFields({ fallbackFrom, toolCalls: calls, error, notice, sessionId }),
    }
  }

  /** Stores the answer and releases the lease. Throws Problem `missing` for a deleted conversation. */
  const finish = async (turn: Turn, answer: TurnAnswer): Promise<ChatMessage> => {
    const { conversation, token, messageCount } = turn
    const { id } = conversation
    const notice = await snapshots.keep(id, token)
    leases.drop(token)
    const answered = notice === undefined ? answer : { ...answer, notice }
    const row = messageRow(id, messageCount, storedAnswerFields(answered))
    const { applied, row: current } = await store.commit<ConversationRow>(
      leasedWrite(id, token, {
        set: { messageCount: messageCount + 1, updatedAt: iso(clock.now()) },
        unset: TURN_FIELDS,
      }),
      [{ insert: chatMessages, row }],
    )
    if (!applied) throw turnLost(current)
    return toMessage(row)
  }

  /** Ends a failed turn: its texts and calls so far are stored with the reason. */
  const fail = async (
    turn: Turn,
    thrown: unknown,
    { content, toolCalls = [], usage, sessionId }: PartialAnswer,
  ): Promise<void> => {
    if (content.trim() === '' && toolCalls.length === 0) return turn.release()
    const error = toAnswerError(thrown)
    await finish(turn, { content, toolCalls, usage, ...turn.target, error, sessionId })
  }

  return { begin, open, finish, fail }
}

export type Turns = ReturnType<typeof createTurns>

/** Aborts after `mostMs` with Problem `unavailable` `timeout`, with `outer`, or by `stop`. */
export const timeLimit = (clock: Clock, mostMs: number, outer?: AbortSignal) => {
  const controller = new AbortController()
  const cancel = clock.after(mostMs, () => {
    const message = `The model did not finish within ${durationText(mostMs)}`
    controller.abort(new Problem('unavailable', 'timeout', message))
  })
  const { signal } = controller
  return {
    signal: outer ? AbortSignal.any([signal, outer]) : signal,
    stop: (reason: unknown) => controller.abort(reason),
    [Symbol.dispose]: cancel,
  }
}

export const UNFORESEEN = 'internal_error'

/** A failure for storage with an answer; the message of an error that is no Problem is left out. */
export const toAnswerError = (thrown: unknown): AnswerError => {
  if (thrown instanceof Problem) return { code: thrown.code, message: errorMessage(thrown) }
  // The abort reason of a closed connection's signal.
  const isLeft =
    typeof thrown === 'object' && thrown !== null && 'name' in thrown && thrown.name === 'AbortError'
  return isLeft
    ? { code: 'cancelled', message: 'The caller left before the end of the answer' }
    : { code: UNFORESEEN, message: 'Something went wrong on our side' }
}

const approvalPending = (toolCalls: readonly ChatToolCall[]) =>
  new Problem('invalid', 'approval_pending', 'The last turn waits for approval; decide on it first', {
    details: { pendingApprovals: pendingApprovals(toolCalls) },
  })

/** No new message can be left out of the prompt, and the answer needs room too. */
const refuseTooLong = (
  messages: readonly { content: string }[],
  specs: readonly ToolSpec[],
  window: number,
): void => {
  if (estimateToolTokens(specs) + estimateTokens(messages) <= promptTokenLimit(window)) return
  const what = 'What is said, with the system prompt and the tools,'
  const message = `${what} is longer than the model takes: its window has ${window} tokens, the answer's among them`
  throw new Problem('invalid', 'message_too_long', message)
}
