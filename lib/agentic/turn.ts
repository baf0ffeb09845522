import { toAnswerError, UNFORESEEN } from '../core/answer-error.ts'
import { addCost, type Cost } from '../core/cost.ts'
import { definedFields } from '../core/defined-fields.ts'
import { errorMessage } from '../core/errors.ts'
import type { Principal } from '../core/principal.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { Log } from '../ports/log.ts'
import type { Effort, Models } from '../ports/model.ts'
import type { Toolbox } from '../ports/tool.ts'
import type { Turns } from '../turns/service.ts'
import type { Turn } from '../turns/turn.ts'
import { completionData, createLoopEvents } from './loop-events.ts'
import type { AgenticRequest, AgentSession, SessionEvent } from './schema.ts'
import type { OpenSession } from './session-runs.ts'
import type { AgentSessions } from './sessions.ts'

type Needs = {
  sessions: Pick<AgentSessions, 'open' | 'followOpened'>
  turns: Pick<Turns, 'begin' | 'run'>
  models: Pick<Models, 'resolve'>
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
export const createAgenticTurns = (needs: Needs) => {
  const { sessions, turns, models, openToolbox, clock, ids, log } = needs

  const run = async (
    turn: Turn,
    session: OpenSession,
    { request, toolbox, maxSteps }: Start,
    onCost: (cost: Cost) => void,
  ) => {
    const { emit, signal, id: sessionId } = session
    const { effort, maxBudget: maxTokens, showThinking, temperature } = request
    const { content, message, result, usage } = await turns.run(turn, {
      toolbox,
      maxSteps,
      signal,
      effort,
      temperature,
      maxTokens,
      sessionId,
      onCost,
      onEvent: createLoopEvents({ emit, clock, ids, showThinking }),
      unanswered: {
        max_steps: `No answer after ${maxSteps} steps.`,
        budget: `No answer within the budget of ${maxTokens} tokens.`,
      },
    })
    // The answer is saved before `complete` is sent, so that nothing can fail after it.
    const { id, notice } = message
    emit('summary', { summary: content })
    const { ended } = result
    const finishReason = ended === 'max_steps' || ended === 'budget' ? ended : result.finishReason
    const facts = completionData({ ...result, usage }, finishReason)
    emit('complete', { ...facts, ...definedFields({ notice }) })
    emit('message_saved', { id })
  }

  /** Runs the turn to its last event. Never rejects. */
  const runToEnd = async (turn: Turn, session: OpenSession, start: Start): Promise<void> => {
    let error: AgentSession['error']
    let cost: Cost | undefined
    try {
      await run(turn, session, start, (more) => {
        cost = addCost(cost, more)
      })
    } catch (thrown) {
      error = toSessionError(thrown)
      if (error.code === FAULT)
        log.error({ sessionId: session.id, err: thrown }, 'an agentic turn failed by a fault of this service')
      // The partial answer is saved by now: after the last event the next turn may begin.
      session.emit('error', error)
    }
    await session
      .end(stateAfter(error), definedFields({ error, cost: addCost(cost, turn.spent.cost) }))
      .catch((thrown) => {
        const fields = { sessionId: session.id, reason: errorMessage(thrown) }
        log.error(fields, 'the end of a session was not stored')
      })
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
        void runToEnd(turn, session, { request, toolbox, maxSteps })
        return events
      } catch (thrown) {
        await turn.release()
        throw thrown
      }
    },
  }
}

type Start = { request: AgenticRequest; toolbox: Toolbox; maxSteps: number }

const stateAfter = (error: AgentSession['error']) => {
  if (error === undefined) return 'completed'
  return error.code === 'CANCELLED' ? 'cancelled' : 'failed'
}

const FAULT = 'INTERNAL'

/** The error in the last event of a failed session, as its answer has it; its code is upper case. */
const toSessionError = (thrown: unknown): NonNullable<AgentSession['error']> => {
  const { code, message } = toAnswerError(thrown)
  return { code: code === UNFORESEEN ? FAULT : code.toUpperCase(), message }
}
