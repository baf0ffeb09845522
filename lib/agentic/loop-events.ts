import type { Cost } from '../core/cost.ts'
import { shortenedText } from '../core/cut-text.ts'
import { definedFields } from '../core/defined-fields.ts'
import { TOOL_ERROR } from '../core/session-end.ts'
import { iso } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { LoopEvent, LoopResult } from '../ports/tool.ts'
import type { EmitEvent } from './schema.ts'

/** The most characters of an error's message; the result has the whole text. */
const LONGEST_MESSAGE = 1_000

type Needs = {
  emit: EmitEvent
  clock: Pick<Clock, 'now'>
  ids: Ids
  showThinking: boolean
}
type Span = { spanId: string; parentId?: string; startedAt: string }

/**
 * Translates the events of a loop to events of a session. Steps and tool calls are spans; a call's parent is its step.
 * A call that failed while the run goes on is also an `error`. Reasoning is sent between `thinking:start` and `thinking:end`, or not at all.
 */
export const createLoopEvents = ({ emit, clock, ids, showThinking }: Needs) => {
  let step: Span = { spanId: '', startedAt: '' }
  let isThinking = false
  const calls = new Map<string, Span>()

  const begin = (parent?: Span): Span => ({
    spanId: ids.next('span'),
    ...(parent && { parentId: parent.spanId }),
    startedAt: iso(clock.now()),
  })
  const ended = (span: Span) => ({ ...span, endedAt: iso(clock.now()) })

  const endThinking = (number: number) => {
    if (isThinking) emit('thinking:end', { step: number, text: '' })
    isThinking = false
  }

  const think = (number: number, text: string) => {
    if (!showThinking) return
    if (!isThinking) emit('thinking:start', { step: number, text: '' })
    isThinking = true
    emit('thinking:update', { step: number, text })
  }

  const emitters: { [Type in LoopEvent['type']]: (event: Extract<LoopEvent, { type: Type }>) => void } = {
    reasoning: ({ step: number, text }) => think(number, text),
    text: ({ step: number, text }) => emit('content', { step: number, text }),
    'step:start': ({ step: number, maxSteps, usedTokens }) => {
      step = begin()
      emit('step:start', { step: number, maxSteps, usedTokens, ...step })
    },
    'tool:call': ({ call: { id: toolCallId, name, arguments: given }, title, kind }) => {
      const span = begin(step)
      calls.set(toolCallId, span)
      emit('tool:call', { toolCallId, name, ...definedFields({ kind }), arguments: given, title, ...span })
    },
    'tool:result': ({ call: { id: toolCallId, name }, outcome: { content, failed, decision }, endsRun }) => {
      const span = calls.get(toolCallId) ?? begin(step)
      calls.delete(toolCallId)
      const result = { success: !failed, content, ...(failed ? { error: TOOL_ERROR } : {}) }
      emit('tool:result', { toolCallId, name, result, decision, ...ended(span) })
      if (failed && !endsRun)
        emit('error', { message: shortenedText(content, LONGEST_MESSAGE), code: TOOL_ERROR, toolCallId })
    },
    'step:complete': ({ step: number, usedTokens, toolCalls, finishReason }) =>
      emit('step:complete', { step: number, usedTokens, toolCalls, finishReason, ...ended(step) }),
  }

  return (event: LoopEvent): void => {
    if (event.type !== 'reasoning') endThinking(event.step)
    const emitFor = emitters[event.type] as (event: LoopEvent) => void
    emitFor(event)
  }
}

/** The data of event `complete`, from what a run used. */
export const completionData = (
  result: Partial<Pick<LoopResult, 'usage' | 'model' | 'provider' | 'toolCalls' | 'fallbackFrom'>> & {
    cost?: Cost
  },
  finishReason: string,
) => {
  const { usage, model, provider, toolCalls, fallbackFrom, cost = usage?.cost } = result
  return {
    totalTokens: usage?.totalTokens,
    inputTokens: usage?.promptTokens,
    outputTokens: usage?.completionTokens,
    model,
    provider,
    toolCalls,
    finishReason,
    ...definedFields({ cost, fallbackFrom }),
  }
}
