import { messageOf, missing, Problem } from '../core/errors.ts'
import type { Principal } from '../core/principal.ts'
import { CONTROLS } from '../core/shown-text.ts'
import { iso } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { Log } from '../ports/log.ts'
import type { ModelMessage, Models, TokenUsage, ToolSpec } from '../ports/model.ts'
import type { AnyWrite, Store } from '../ports/store.ts'
import type { ChatCompaction, Target } from './compaction.ts'
import type { ChatContext, Known } from './context.ts'
import { systemText } from './context.ts'
import type { Conversations } from './conversations.ts'
import { shownConversation } from './conversations.ts'
import { messageOfRow, tokensOf } from './messages.ts'
import {
  type ConversationRow,
  chatMessages,
  chatTurns,
  conversations as conversationRows,
  type MessageRow,
  numberText,
} from './rows.ts'
import type { ChatMessage, ChatToolCall, Compaction, Conversation } from './schema.ts'
import { NO_USAGE, sumOf } from './usage.ts'

/** How long a turn counts as alive after its process last said so; it does three times as often. */
const LEASE_MS = 60_000
const LONGEST_TITLE = 80

type Said = { role: 'user' | 'assistant'; content: string }

type Ask = {
  provider?: string | undefined
  model?: string | undefined
  /** Stands before the system prompt: how the model is to work. */
  instructions?: string
  /** In place of the conversation's own. */
  systemPrompt?: string | undefined
  /** The tools that the model will be told about: they count towards the window. */
  specs?: readonly ToolSpec[]
  /** Ends what begins the turn: a summary may have to be made. */
  signal?: AbortSignal
}
export type BeginTurn = Ask & { content: string }
/** `system` is told to the model and not stored; `known` is told besides what is known of the conversation. */
type OpenTurn = Ask & { messages: readonly Said[]; system?: readonly string[]; known?: Known }

/** A turn of a conversation that this process has the lease of, until it is finished or released. */
export type Turn = {
  conversation: Conversation
  /** What was said last, as it was stored. */
  userMessage: ChatMessage
  /** The prompt. */
  messages: readonly ModelMessage[]
  compaction?: Compaction
  /** Of the conversation, with what was said. */
  messageCount: number
  target: Target
  /** Tokens that were spent before the model was asked. */
  spent: TokenUsage
  userId: string
  token: string
  /** Ends the turn without an answer. What was said stays, and the next turn asks it together with what is said then. */
  release(): Promise<void>
}

export type TurnAnswer = {
  content: string
  toolCalls?: readonly ChatToolCall[]
  usage: TokenUsage
  provider: string
  model: string
  fallbackFrom?: string | undefined
  /** Why it is not whole. */
  error?: { code: string; message: string }
}

type Needs = {
  store: Store
  clock: Clock
  ids: Ids
  log: Log
  models: Models
  conversations: Pick<Conversations, 'own'>
  context: Pick<ChatContext, 'ofConversation'>
  compaction: ChatCompaction
}

export type TurnLeases = ReturnType<typeof createTurnLeases>

const underWay = () =>
  new Problem(
    'invalid',
    'turn_under_way',
    'Another turn of this conversation is under way; wait for its answer',
  )

const lost = (standing: object | undefined) =>
  standing === undefined
    ? missing('Conversation')
    : new Problem('unavailable', 'turn_lost', 'Another process has taken the conversation over')

/** Leases of conversations: a process that has one is the only one that adds to it, and says that it is alive. */
export const createTurnLeases = ({ store, clock, log }: Pick<Needs, 'store' | 'clock' | 'log'>) => {
  const renewals = new Map<string, () => void>()

  const renewed = async (id: string, token: string): Promise<void> => {
    try {
      const { applied } = await store.commit<ConversationRow>({
        update: conversationRows,
        key: id,
        when: { turnToken: token },
        set: { turnUntil: clock.now() + LEASE_MS },
      })
      if (!applied) drop(token)
    } catch (thrown) {
      log.warn({ conversationId: id, reason: messageOf(thrown) }, 'the lease of a turn was not renewed')
    }
  }

  /** Renews the lease until it is dropped. */
  const keep = (id: string, token: string): void => {
    const cancel = clock.after(LEASE_MS / 3, () => {
      void renewed(id, token).then(() => {
        if (renewals.has(token)) keep(id, token)
      })
    })
    renewals.set(token, cancel)
  }

  const drop = (token: string): void => {
    renewals.get(token)?.()
    renewals.delete(token)
  }

  const isHeld = ({ turnToken, turnUntil = 0 }: ConversationRow): boolean =>
    turnToken !== undefined && turnUntil > clock.now()

  return {
    keep,
    drop,
    isHeld,
    until: () => clock.now() + LEASE_MS,
    /** Gives it back: the next turn may begin at once. */
    release: async (id: string, token: string): Promise<void> => {
      drop(token)
      await store.commit<ConversationRow>({
        update: conversationRows,
        key: id,
        when: { turnToken: token },
        unset: ['turnToken', 'turnUntil'],
      })
    },
  }
}

/** The first line of what was said, as a title. */
const titleOf = (content: string): string => {
  const line = content.replaceAll(new RegExp(CONTROLS, 'gu'), '\n').trim().split('\n', 1)[0]?.trim() ?? ''
  return line.length > LONGEST_TITLE ? `${line.slice(0, LONGEST_TITLE - 1).trim()}…`.toWellFormed() : line
}

/**
 * Turns of conversations: `begin` stores what is said, in the same write as the lease, and makes the prompt; `finish`
 * stores the answer and gives the lease back.
 */
export const createTurns = (needs: Needs & { leases: TurnLeases }) => {
  const { store, clock, ids, models, conversations, context, compaction, leases } = needs

  /**
   * Refuses while a turn waits for approval. Ends one that was not decided on in time, or whose process died while it went
   * on: its message says so. Resolves to the conversation after that.
   */
  const withoutWaiting = async (row: ConversationRow): Promise<ConversationRow> => {
    const { id, userId, waitingUntil, turnToken } = row
    if (waitingUntil === undefined) return row
    const waiting = await store.get(chatTurns, id, true)
    const isExpired = waitingUntil <= clock.now()
    if (!isExpired && turnToken === undefined) throw approvalPending(waiting?.toolCalls ?? [])
    const error = isExpired
      ? { code: 'approval_expired', message: 'The approvals were not decided on in time' }
      : { code: 'interrupted', message: 'The service was interrupted during this turn' }
    const rows: AnyWrite[] = waiting
      ? [
          { remove: chatTurns, key: id },
          { update: chatMessages, key: [id, waiting.answer], set: { error } },
        ]
      : []
    await store.commit<ConversationRow>(
      {
        update: conversationRows,
        key: id,
        when: { waitingUntil, turnToken: turnToken ?? null },
        unset: ['waitingUntil', 'turnToken', 'turnUntil'],
      },
      rows,
    )
    return conversations.own({ userId }, id)
  }

  const messageRow = (
    conversationId: string,
    number: number,
    said: Omit<ChatMessage, 'id' | 'conversationId' | 'createdAt'>,
  ) =>
    ({
      ...{ id: ids.next('msg'), conversationId, number: numberText(number) },
      ...said,
      createdAt: iso(clock.now()),
    }) satisfies MessageRow

  /** Stores what is said, and takes the lease. */
  const take = async (row: ConversationRow, messages: readonly Said[]) => {
    const { id, userId, messageCount, turnToken = null } = row
    const token = ids.next('turn')
    const rows = messages.map((said, at) => messageRow(id, messageCount + at, said))
    const first = messages.find(({ role }) => role === 'user')?.content ?? ''
    const title = row.untitled ? titleOf(first) : ''
    const { applied, row: taken } = await store.commit<ConversationRow>(
      {
        update: conversationRows,
        key: id,
        when: { userId, messageCount, turnToken, waitingUntil: null },
        set: {
          ...{ messageCount: messageCount + rows.length, updatedAt: iso(clock.now()) },
          ...{ turnToken: token, turnUntil: leases.until() },
          ...(title === '' ? {} : { title }),
        },
        ...(title === '' ? {} : { unset: ['untitled'] }),
      },
      rows.map((one) => ({ insert: chatMessages, row: one })),
      true,
    )
    if (!applied) throw taken === undefined ? missing('Conversation') : underWay()
    leases.keep(id, token)
    return { token, taken: taken ?? row, last: rows.findLast(({ role }) => role === 'user') }
  }

  const storeSummary = async (
    id: string,
    token: string,
    summary: Pick<ConversationRow, 'summary' | 'summarized'>,
  ) => {
    const { applied, row } = await store.commit<ConversationRow>({
      update: conversationRows,
      key: id,
      when: { turnToken: token },
      set: summary,
    })
    if (!applied) throw lost(row)
  }

  const promptFor = async (taken: ConversationRow, token: string, target: Target, given: OpenTurn) => {
    const query = given.messages.findLast(({ role }) => role === 'user')?.content ?? ''
    const own = await context.ofConversation(taken, query)
    const known = {
      ...own,
      ...given.known,
      memory: given.known?.memory.length ? given.known.memory : own.memory,
    }
    const { instructions } = given
    const systemPrompt = [given.systemPrompt ?? taken.systemPrompt, ...(given.system ?? [])]
      .filter((text) => text !== undefined)
      .join('\n\n')
    const prompt = await compaction.prepare({
      conversation: taken,
      target,
      system: (summary) =>
        systemText({
          ...known,
          systemPrompt,
          ...(instructions === undefined ? {} : { instructions }),
          ...(summary === undefined ? {} : { summary }),
        }),
      ...(given.specs ? { specs: given.specs } : {}),
      signal: given.signal ?? new AbortController().signal,
    })
    if (prompt.summary) await storeSummary(taken.id, token, prompt.summary)
    return prompt
  }

  /** As `begin`, for what is said in several messages. */
  const open = async (principal: Pick<Principal, 'userId'>, id: string, given: OpenTurn): Promise<Turn> => {
    const target = models.resolve(targetOf(given))
    const found = await conversations.own(principal, id)
    if (leases.isHeld(found)) throw underWay()
    refuseTooLong(given.messages, models.contextTokens(target))
    const { token, taken, last } = await take(await withoutWaiting(found), given.messages)
    const release = () => leases.release(id, token)
    try {
      const { messages, compaction: done, usage } = await promptFor(taken, token, target, given)
      return {
        conversation: shownConversation(taken),
        userMessage: messageOfRow(last as MessageRow),
        ...{ messages, messageCount: taken.messageCount, target, spent: usage, token, release },
        userId: principal.userId,
        ...(done ? { compaction: done } : {}),
      }
    } catch (thrown) {
      await release().catch(() => undefined)
      throw thrown
    }
  }

  /**
   * Begins a turn: stores what the user says, and makes the prompt of it. Throws Problem `missing` for a conversation of
   * somebody else, `invalid` `turn_under_way` while another turn is, `approval_pending` while one waits for approval,
   * `model_unknown`, `message_too_long` for the model's window. The caller finishes the turn or releases it.
   */
  const begin = (
    { userId }: Pick<Principal, 'userId'>,
    id: string,
    { content, ...more }: BeginTurn,
  ): Promise<Turn> => open({ userId }, id, { ...more, messages: [{ role: 'user', content }] })

  const answerOf = ({
    content,
    toolCalls = [],
    usage,
    provider,
    model,
    fallbackFrom,
    error,
  }: TurnAnswer) => ({
    ...{ role: 'assistant' as const, content, model, provider, usage },
    ...(fallbackFrom === undefined ? {} : { fallbackFrom }),
    ...(toolCalls.length === 0 ? {} : { toolCalls: [...toolCalls] }),
    ...(error === undefined ? {} : { error }),
  })

  /**
   * Stores the answer and gives the lease back; resolves to the message. Tokens that a summary took are added to the usage.
   * Throws Problem `missing` for a conversation that was deleted meanwhile.
   */
  const finish = async (turn: Turn, answer: TurnAnswer): Promise<ChatMessage> => {
    const { conversation, token, messageCount, spent } = turn
    const { id } = conversation
    leases.drop(token)
    const row = messageRow(id, messageCount, answerOf({ ...answer, usage: sumOf(spent, answer.usage) }))
    const { applied, row: standing } = await store.commit<ConversationRow>(
      {
        update: conversationRows,
        key: id,
        when: { turnToken: token },
        set: { messageCount: messageCount + 1, updatedAt: iso(clock.now()) },
        unset: ['turnToken', 'turnUntil'],
      },
      [{ insert: chatMessages, row }],
    )
    if (!applied) throw lost(standing)
    return messageOfRow(row)
  }

  /** Ends a turn that failed: what was said or done until then is stored with the reason, so that it is not lost. */
  const fail = async (
    turn: Turn,
    thrown: unknown,
    { content, toolCalls = [] }: { content: string; toolCalls?: readonly ChatToolCall[] },
  ): Promise<void> => {
    if (content.trim() === '' && toolCalls.length === 0) return turn.release()
    const error = errorOf(thrown)
    await finish(turn, { content, toolCalls, usage: NO_USAGE, ...turn.target, error })
  }

  return { begin, open, finish, fail, answerOf }
}

export type Turns = ReturnType<typeof createTurns>

/** A failure as it is stored with an answer: words that were not written for a caller are not told. */
export const errorOf = (thrown: unknown): { code: string; message: string } => {
  if (thrown instanceof Problem) return { code: thrown.code, message: messageOf(thrown) }
  // What the signal of a connection aborts with.
  const isLeft =
    typeof thrown === 'object' && thrown !== null && 'name' in thrown && thrown.name === 'AbortError'
  return isLeft
    ? { code: 'cancelled', message: 'The caller left before the end of the answer' }
    : { code: 'internal_error', message: 'Something went wrong on our side' }
}

/** As the models port wants it. */
export const targetOf = ({
  provider,
  model,
}: {
  provider?: string | undefined
  model?: string | undefined
}) => ({
  ...(provider === undefined ? {} : { provider }),
  ...(model === undefined ? {} : { model }),
})

export const pendingOf = (toolCalls: readonly ChatToolCall[]) =>
  toolCalls.flatMap(({ status, approvalId, id, name, arguments: params }) =>
    status === 'pending' && approvalId !== undefined
      ? [{ id: approvalId, toolCallId: id, toolName: name, params }]
      : [],
  )

const approvalPending = (toolCalls: readonly ChatToolCall[]) =>
  new Problem('invalid', 'approval_pending', 'The last turn waits for approval; decide on it first', {
    details: { pendingApprovals: pendingOf(toolCalls) },
  })

const refuseTooLong = (messages: readonly Said[], window: number): void => {
  if (tokensOf(messages) <= window) return
  const message = `What is said is longer than the ${window} tokens that the model takes`
  throw new Problem('invalid', 'message_too_long', message)
}
