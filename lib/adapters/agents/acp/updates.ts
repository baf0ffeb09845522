import type { ContentBlock, SessionUpdate, ToolCallContent, ToolCallUpdate } from '@agentclientprotocol/sdk'
import { cutText, shortenedText } from '../../../core/cut-text.ts'
import { createLatestText } from '../../../core/latest-text.ts'
import type { LoopEvent } from '../../../ports/tool.ts'

const MOST_TITLE = 200
const MOST_RESULT = 100_000

type Call = { id: string; name: string; arguments: unknown }
type Open = { call: Call; title: string; from: number }

/** The cost that the agent states for its session. */
type StatedCost = { amount: number; currency: string }

type Needs = { observe: (event: LoopEvent) => void; now: () => number }

const contentText = (parts: readonly ToolCallContent[]): string =>
  parts
    .map((part) => {
      if (part.type === 'content')
        return part.content.type === 'text' ? part.content.text : `[${part.content.type}]`
      return part.type === 'diff' ? `Changed ${part.path}` : '[terminal]'
    })
    .join('\n')

const resultText = ({ content, rawOutput }: ToolCallUpdate): string => {
  const text = content ? contentText(content) : ''
  if (text !== '' || rawOutput === undefined || rawOutput === null) return text
  return typeof rawOutput === 'string' ? rawOutput : JSON.stringify(rawOutput)
}

/**
 * Turns the updates of a session into the events that readers of a run follow. A step is what an agent writes up to the end
 * of the calls that follow it; the text of the last one is its answer.
 */
export const createUpdates = ({ observe, now }: Needs) => {
  const latest = createLatestText()
  const open = new Map<string, Open>()
  let step = 0
  let calls = 0
  let callsOfStep = 0
  let answer = ''
  let cost: StatedCost | undefined

  const endStep = () => {
    if (step > 0)
      observe({ type: 'step:complete', step, usedTokens: 0, toolCalls: callsOfStep, finishReason: 'stop' })
    callsOfStep = 0
  }
  const beginStep = () => {
    endStep()
    step += 1
    latest.beginStep()
    observe({ type: 'step:start', step, usedTokens: 0 })
  }
  /** Text after calls begins a step. */
  const say = (type: 'text' | 'reasoning', content: ContentBlock) => {
    if (content.type !== 'text') return
    if (step === 0 || (callsOfStep > 0 && open.size === 0)) beginStep()
    if (type === 'text') answer = latest.add(content.text) || answer
    observe({ type, step, text: content.text })
  }

  const beginCall = (update: ToolCallUpdate) => {
    if (step === 0) beginStep()
    const { toolCallId: id, kind, name, title, rawInput } = update
    const call = { id, name: name ?? kind ?? 'other', arguments: rawInput ?? {} }
    const begun = { call, title: cutText(title ?? call.name, MOST_TITLE), from: now() }
    open.set(id, begun)
    calls += 1
    callsOfStep += 1
    observe({ type: 'tool:call', step, call, title: begun.title })
    return begun
  }

  const updateCall = (update: ToolCallUpdate) => {
    const known = open.get(update.toolCallId) ?? beginCall(update)
    if (update.status !== 'completed' && update.status !== 'failed') return
    open.delete(update.toolCallId)
    const { call, from } = known
    const title = cutText(update.title ?? known.title, MOST_TITLE)
    const outcome = {
      content: shortenedText(resultText(update), MOST_RESULT),
      failed: update.status === 'failed',
      decision: 'allowed' as const,
      durationMs: now() - from,
    }
    observe({ type: 'tool:result', step, call, title, outcome })
  }

  return {
    /** Plans, modes and commands, which are for people at a keyboard, are left out. */
    take: (update: SessionUpdate): void => {
      const { sessionUpdate } = update
      if (sessionUpdate === 'agent_message_chunk') say('text', update.content)
      if (sessionUpdate === 'agent_thought_chunk') say('reasoning', update.content)
      if (sessionUpdate === 'tool_call' || sessionUpdate === 'tool_call_update') updateCall(update)
      if (sessionUpdate === 'usage_update') cost = update.cost ?? cost
    },
    end: endStep,
    /** What the agent wrote last, and what it did. */
    outcome: () => ({ answer, steps: step, toolCalls: calls, cost }),
  }
}
