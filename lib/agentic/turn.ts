import { type ChatToolCall, finishedCall } from '../chat/schema.ts'
import { definedFields } from '../core/defined-fields.ts'
import { errorMessage, Problem } from '../core/errors.ts'
import { createLatestText } from '../core/latest-text.ts'
import type { Principal } from '../core/principal.ts'
import { addUsage, type TokenUsage } from '../core/token-usage.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { Log } from '../ports/log.ts'
import type { AskedModel, Effort, ModelMessage, Models, ToolSpec } from '../ports/model.ts'
import type { LoopEvent, LoopResult, RunLoop, Toolbox } from '../ports/tool.ts'
import { createLoopEvents } from './loop-events.ts'
import type { AgenticRequest, AgentSession, SessionEvent } from './schema.ts'
import { type AgentSessions, type OpenSession, SessionStopped } from './sessions.ts'

/** A turn of a conversation: the input of the model. `release` allows the next turn to begin. */
export type ConversationTurn = {
  readonly userMessage: { readonly id: string; readonly content: string }
  readonly messages: readonly ModelMessage[]
  readonly messageCount: number
  readonly compaction?: object | undefined
  readonly compacted?: (() => Promise<readonly ModelMessage[]>) | undefined
  /** The tokens that the summary of the history used. */
  readonly spent: TokenUsage
  readonly signal: AbortSignal
  release(): Promise<void>
}

type TurnAnswer = {
  content: string
  toolCalls: readonly ChatToolCall[]
  usage: TokenUsage
  provider: string
  model: string
  sessionId: string
}

export type ConversationTurns<Turn extends ConversationTurn> = {
  /** Saves the user's message. Throws Problem `missing`, and `invalid` while another turn is running. */
  begin(
    principal: Principal,
    conversationId: string,
    message: AskedModel & {
      content: string
      instructions: string
      specs: readonly ToolSpec[]
      signal: AbortSignal
    },
  ): Promise<Turn>
  /** Saves the answer, and allows the next turn to begin. */
  finish(
    turn: Turn,
    answer: TurnAnswer,
  ): Promise<{ readonly id: string; readonly notice?: string | undefined }>
  /** Ends a failed turn; its texts and tool calls so far are saved. */
  fail(turn: Turn, thrown: unknown, partial: Omit<TurnAnswer, 'provider' | 'model'>): Promise<void>
}

type Needs<Turn extends ConversationTurn> = {
  sessions: Pick<AgentSessions, 'open' | 'followOpened'>
  turns: ConversationTurns<Turn>
  models: Pick<Models, 'resolve'>
  loop: RunLoop
  /** The tools of a conversation, all of them approved. Throws Problem `missing` for a conversation of another user. */
  openToolbox: (principal: Principal, conversationId: string) => Promise<Toolbox>
  clock: Clock
  ids: Ids
  log: Log
}

const STEPS: Readonly<Record<Effort, number>> = { low: 10, medium: 25, high: 50, max: 100 }

/** The text before the system prompt of the conversation. */
const AGENT_MODE =
  'Work on what the user asks for by yourself, step by step, with the tools that you have. Look before you change ' +
  'something, check what you did, and do not ask back unless you cannot go on. End with a short account of what you did.'

/** Agentic turns of conversations: the model works with all tools until it is done, and every step is an event. */
export const createAgenticTurns = <Turn extends ConversationTurn>(needs: Needs<Turn>) => {
  const { sessions, turns, models, loop, openToolbox, clock, ids, log } = needs

  const run = async (turn: Turn, session: OpenSession, start: Start): Promise<void> => {
    const { request, toolbox, maxSteps, toolCalls, partial } = start
    const { emit } = session
    const signal = AbortSignal.any([session.signal, turn.signal])
    const { effort, maxBudget, showThinking, temperature } = request
    const emitEvent = createLoopEvents({ emit, clock, ids, showThinking })
    const latest = createLatestText()
    const onEvent = (event: LoopEvent) => {
      emitEvent(event)
      if (event.type === 'step:start') latest.beginStep()
      if (event.type === 'text') partial.text = latest.add(event.text)
      if (event.type === 'tool:result') toolCalls.push(finishedCall(event))
    }
    const result = await loop({
      messages: turn.messages,
      toolbox,
      maxSteps,
      effort,
      signal,
      compacted: turn.compacted,
      ...start.target,
      ...definedFields({ temperature, maxTokens: maxBudget }),
      onEvent,
      onUsage: (usage) => {
        start.usage = addUsage(turn.spent, usage)
      },
    })
    const content = finalAnswer(result, start)
    const { provider, model } = result
    const { usage } = start
    // The answer is saved before `complete` is sent, so that nothing can fail after it.
    const answer = { content, toolCalls, usage, provider, model, sessionId: session.id }
    const { id, notice } = await turns.finish(turn, answer)
    emit('summary', { summary: content })
    emit('complete', { ...completionData(result, usage), ...definedFields({ notice }) })
    emit('message_saved', { id })
  }

  /** Runs the turn to its last event. Never rejects. */
  const runToEnd = async (turn: Turn, session: OpenSession, start: Start): Promise<void> => {
    let error: AgentSession['error']
    try {
      await run(turn, session, start)
    } catch (thrown) {
      error = toSessionError(thrown)
      if (error.code === UNFORESEEN)
        log.error({ sessionId: session.id, err: thrown }, 'an agentic turn failed by a fault of this service')
      // The partial answer is saved first: after the last event the next turn may begin.
      await keepPartial(turn, session.id, error, start)
      session.emit('error', error)
    }
    await session.end(stateAfter(error), error)
  }

  const keepPartial = async (
    turn: Turn,
    sessionId: string,
    { code, message }: Failure,
    { partial, toolCalls, usage }: Start,
  ) => {
    const reason = new Problem('unavailable', code.toLowerCase(), message)
    try {
      await turns.fail(turn, reason, { content: partial.text, toolCalls, usage, sessionId })
    } catch (thrown) {
      log.warn({ reason: errorMessage(thrown) }, 'the answer of a failed agentic turn was not stored')
    }
  }

  return {
    /**
     * Begins a turn and returns its events; the first are `user_message` and `session:start`. An invalid request throws a
     * Problem before that. When the reader disconnects, the turn goes on for the orphan time.
     */
    start: async (
      principal: Principal,
      conversationId: string,
      request: AgenticRequest,
      reader: AbortSignal,
    ): Promise<AsyncIterable<readonly SessionEvent[]>> => {
      const { content, provider, model } = request
      const target = models.resolve(request)
      const toolbox = await openToolbox(principal, conversationId)
      const asked = { content, provider, model, instructions: AGENT_MODE, specs: toolbox.specs }
      const turn = await turns.begin(principal, conversationId, { ...asked, signal: reader })
      const { effort, maxBudget } = request
      const maxSteps = request.maxSteps ?? STEPS[effort]
      try {
        const session = await sessions.open({ conversationId, userId: principal.userId, ...target })
        const { id, content } = turn.userMessage
        const { compaction, messageCount } = turn
        const facts = { compactionApplied: compaction !== undefined, messageCount }
        session.emit('user_message', { id, content, ...facts })
        session.emit('session:start', {
          sessionId: session.id,
          conversationId,
          ...target,
          effort,
          maxSteps,
          securityMode: 'full',
          maxBudget: maxBudget ?? null,
        })
        const events = sessions.followOpened(session.id, reader)
        const progress = { toolCalls: [], partial: { text: '' }, usage: turn.spent }
        runToEnd(turn, session, { request, toolbox, maxSteps, target, ...progress }).catch((thrown) => {
          const fields = { sessionId: session.id, reason: errorMessage(thrown) }
          log.error(fields, 'the end of a session was not stored')
        })
        return events
      } catch (thrown) {
        await turn.release()
        throw thrown
      }
    },
  }
}

type Start = {
  request: AgenticRequest
  toolbox: Toolbox
  maxSteps: number
  target: { provider: string; model: string }
  toolCalls: ChatToolCall[]
  partial: { text: string }
  usage: TokenUsage
}

type Failure = NonNullable<AgentSession['error']>

const stateAfter = (error: Failure | undefined) => {
  if (error === undefined) return 'completed'
  return error.code === 'CANCELLED' ? 'cancelled' : 'failed'
}

/** The final answer of the model. Throws Problem `provider_error` when the loop ended without any text. */
const finalAnswer = ({ text, ended }: LoopResult, { maxSteps, request }: Start): string => {
  if (text.trim() !== '') return text
  if (ended === 'max_steps') return `There is no answer after ${maxSteps} steps.`
  if (ended === 'budget') return `There is no answer within the budget of ${request.maxBudget} tokens.`
  throw new Problem('unavailable', 'provider_error', 'The model ended without an answer.')
}

const completionData = (result: LoopResult, usage: TokenUsage) => {
  const { model, provider, toolCalls, ended, finishReason, fallbackFrom } = result
  return {
    totalTokens: usage.totalTokens,
    inputTokens: usage.promptTokens,
    outputTokens: usage.completionTokens,
    model,
    provider,
    toolCalls,
    finishReason: ended === 'max_steps' || ended === 'budget' ? ended : finishReason,
    ...definedFields({ fallbackFrom }),
  }
}

const UNFORESEEN = 'INTERNAL'

/** The error in the last event of a failed session. The message of an error that is no Problem is not shown. */
const toSessionError = (thrown: unknown): NonNullable<AgentSession['error']> => {
  if (thrown instanceof SessionStopped) return { code: thrown.code, message: thrown.message }
  if (thrown instanceof Problem) return { code: thrown.code.toUpperCase(), message: thrown.message }
  return { code: UNFORESEEN, message: 'Something went wrong here. The log of the service says what.' }
}
