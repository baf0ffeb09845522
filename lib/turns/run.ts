import { definedFields } from '../core/defined-fields.ts'
import { errorMessage, Problem } from '../core/errors.ts'
import { createLatestText } from '../core/latest-text.ts'
import type { SecurityMode } from '../core/security-mode.ts'
import { addUsage, NO_USAGE, type TokenUsage } from '../core/token-usage.ts'
import type { LoopEvent, LoopRequest, LoopResult, Toolbox } from '../ports/tool.ts'
import { boundedCalls } from './bounds.ts'
import type { FinishTurn } from './finish.ts'
import type { TurnNeeds } from './needs.ts'
import type { Parking } from './park.ts'
import type { ChatMessage, ChatToolCall } from './schema.ts'
import type { Turn, TurnProgress } from './turn.ts'
import { pendingApprovals } from './waiting.ts'

const noTools: Toolbox = {
  specs: [],
  title: ({ name }) => name,
  call: () => Promise.reject(new Error('The model called an unknown tool')),
  ask: async () => undefined,
  isDecided: async () => true,
}

/** What is asked of the model. Without a toolbox it has one step, in which it answers. */
export type RunOptions = {
  signal: AbortSignal
  toolbox?: Toolbox | Promise<Toolbox>
  maxSteps?: number
  answersLast?: boolean
  effort?: LoopRequest['effort']
  temperature?: number | undefined
  maxTokens?: number | undefined
  maxOutputTokens?: number | undefined
  onEvent?: (event: LoopEvent) => void
  /** Called after each answer of the model, with what that cost. */
  onCost?: LoopRequest['onCost']
  /** The answers of a run that ended in one of these ways without a text; else the turn fails. */
  unanswered?: Partial<Record<LoopResult['ended'], string>>
  /** Opens the tools of the turn again after an approval; without it no call may wait. */
  securityMode?: SecurityMode
  sessionId?: string
}

type Needs = Pick<TurnNeeds, 'loop' | 'log' | 'countCost'> &
  Pick<FinishTurn, 'finish' | 'fail' | 'readAnswer'> &
  Pick<Parking, 'storeWaiting' | 'park'>

/** The end of a run: the stored message, and the approvals that it waits for. */
type RunResult = {
  message: ChatMessage
  content: string
  result: LoopResult
  usage: TokenUsage
  waitsFor?: ReturnType<typeof pendingApprovals>
}

const sameCall = (a: ChatToolCall) => (b: ChatToolCall) => a.id === b.id && a.step === b.step

const withCall = (toolCalls: readonly ChatToolCall[], one: ChatToolCall): ChatToolCall[] =>
  toolCalls.some(sameCall(one))
    ? toolCalls.map((other) => (sameCall(one)(other) ? one : other))
    : [...toolCalls, one]

/** A call that was made or refused. */
const finishedCall = ({ call, outcome, step }: Extract<LoopEvent, { type: 'tool:result' }>) => ({
  ...call,
  result: outcome.content,
  status: outcome.failed ? ('error' as const) : ('success' as const),
  duration: Math.round(outcome.durationMs),
  step,
})

/** The calls that wait for a person; calls of earlier steps have their results. */
const waitingCalls = (toolCalls: readonly ChatToolCall[]) =>
  pendingApprovals(toolCalls).map(({ id: approvalId, toolCallId: callId }) => ({ callId, approvalId }))

/** The final text of the model. Throws Problem `provider_error` when it is empty. */
const finalText = ({ ended, text }: LoopResult, { unanswered }: Pick<RunOptions, 'unanswered'>): string => {
  const content = text.trim() === '' ? unanswered?.[ended] : text
  if (content === undefined)
    throw new Problem('unavailable', 'provider_error', 'The model returned an empty response')
  return content
}

const loopRequest = (options: RunOptions) => {
  const { signal, toolbox, maxSteps = 1, answersLast = toolbox === undefined, onEvent } = options
  const { effort, temperature, maxTokens, maxOutputTokens, onCost } = options
  const settings = definedFields({ effort, temperature, maxTokens, maxOutputTokens, onEvent, onCost })
  return { signal, maxSteps, answersLast, toolbox: noTools, ...settings }
}

export type RunTurn = ReturnType<typeof createRunTurn>

/**
 * Runs model and tools for a turn to its end: its answer is stored, or it is stored to wait for approvals, or it fails,
 * and its text and calls so far are stored with the reason, which is thrown.
 */
export const createRunTurn = ({
  countCost,
  log,
  finish,
  fail,
  readAnswer,
  storeWaiting,
  park,
  ...needs
}: Needs) => {
  /** The loop of model and tools. What its answers cost the user is counted when it ends, also where it fails. */
  const loop = async (userId: string, request: LoopRequest): Promise<LoopResult> => {
    const counting: Promise<void>[] = []
    try {
      return await needs.loop({
        ...request,
        onCost: (cost) => {
          counting.push(countCost(userId, cost))
          request.onCost?.(cost)
        },
      })
    } finally {
      await Promise.all(counting)
    }
  }

  /** Runs the loop until it ends or calls wait, and notes what it did. */
  const advance = async (turn: Turn, progress: TurnProgress, options: RunOptions, toolbox: Toolbox) => {
    const latest = createLatestText()
    const note = (call: ChatToolCall) => {
      progress.toolCalls = withCall(progress.toolCalls, call)
    }
    const { steps, usage, toolCalls, messages } = progress
    const request = loopRequest(options)
    const result = await loop(turn.userId, {
      ...request,
      ...turn.target,
      toolbox,
      messages,
      signal: AbortSignal.any([options.signal, turn.signal]),
      compacted: steps === 0 ? turn.compacted : undefined,
      stopped: { waiting: waitingCalls(toolCalls), steps, usage },
      onUsage: (used) => {
        progress.usage = used
      },
      onEvent: (event) => {
        if (event.type === 'step:start') latest.beginStep()
        if (event.type === 'text') progress.text = latest.add(event.text) || progress.text
        if (event.type === 'tool:result') note(finishedCall(event))
        options.onEvent?.(event)
      },
    })
    progress.messages = result.messages
    progress.steps = result.steps
    for (const { call, approvalId } of result.pending)
      note({ ...call, status: 'pending', duration: 0, step: result.steps, approvalId })
    return result
  }

  const work = async (turn: Turn, progress: TurnProgress, options: RunOptions): Promise<RunResult> => {
    const { securityMode, temperature, sessionId } = options
    const toolbox = (await options.toolbox) ?? noTools
    const advanceOnce = () => advance(turn, progress, options, toolbox)
    const usage = () => addUsage(turn.spent, progress.usage)
    let result = await advanceOnce()
    while (result.ended === 'waiting' && securityMode) {
      const wakes = await storeWaiting(turn, progress, { securityMode, temperature })
      result = await advanceOnce()
      if (result.ended !== 'waiting' || !(await park(turn, progress, wakes))) continue
      const message = await readAnswer(turn)
      const waitsFor = pendingApprovals(boundedCalls(progress.toolCalls))
      return { message, content: message.content, result, usage: usage(), waitsFor }
    }
    const content = finalText(result, options)
    const { provider, model, fallbackFrom } = result
    const used = { toolCalls: progress.toolCalls, usage: usage() }
    const message = await finish(turn, { content, ...used, provider, model, fallbackFrom, sessionId })
    return { message, content, result, usage: used.usage }
  }

  const run = async (turn: Turn, options: RunOptions): Promise<RunResult> => {
    const begun = { toolCalls: [], steps: 0, usage: NO_USAGE, text: '' }
    const progress: TurnProgress = { messages: turn.messages, ...begun, ...turn.stopped }
    try {
      return await work(turn, progress, options)
    } catch (thrown) {
      const { text: content, toolCalls, usage } = progress
      const partial = { content, toolCalls, usage: addUsage(turn.spent, usage) }
      await fail(turn, thrown, { ...partial, sessionId: options.sessionId }).catch((again: unknown) => {
        const fields = { conversationId: turn.conversation.id, reason: errorMessage(again) }
        log.warn(fields, 'a turn that failed could not be stored')
      })
      throw thrown
    }
  }

  return {
    run,
    /** An answer that belongs to no conversation: nothing is stored. */
    runUnstored: async (
      { userId, messages, target }: Pick<Turn, 'messages' | 'target'> & { userId: string },
      options: RunOptions,
    ) => {
      const result = await loop(userId, { ...loopRequest(options), ...target, messages })
      return { content: finalText(result, options), result, usage: result.usage }
    },
  }
}
