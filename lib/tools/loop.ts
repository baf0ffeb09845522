import { Problem } from '../core/errors.ts'
import type { TokenUsage } from '../ports/agent.ts'
import type { ModelMessage, Models, StepPart, ToolCall } from '../ports/model.ts'
import type { LoopRequest, LoopResult, RunLoop } from '../ports/tool.ts'

type Finish = Extract<StepPart, { type: 'finish' }>
type State = { messages: ModelMessage[]; steps: number; toolCalls: number; usage: TokenUsage }

const plus = (a: TokenUsage, b: TokenUsage): TokenUsage => ({
  promptTokens: a.promptTokens + b.promptTokens,
  completionTokens: a.completionTokens + b.completionTokens,
  totalTokens: a.totalTokens + b.totalTokens,
})

const stepRequest = (request: LoopRequest, messages: readonly ModelMessage[]) => {
  const { provider, model, effort, temperature, toolbox, signal } = request
  return {
    ...(provider !== undefined && { provider }),
    ...(model !== undefined && { model }),
    ...(effort !== undefined && { effort }),
    ...(temperature !== undefined && { temperature }),
    ...(toolbox.specs.length > 0 && { tools: toolbox.specs }),
    messages,
    signal,
  }
}

/** One call of the model, streamed on as events. */
const think = async (models: Models, request: LoopRequest, state: State): Promise<Finish> => {
  let finish: Finish | undefined
  for await (const part of models.step(stepRequest(request, state.messages))) {
    request.signal.throwIfAborted()
    if (part.type === 'finish') finish = part
    else if (part.type !== 'tool-call')
      request.onEvent?.({ type: part.type, step: state.steps, text: part.text })
  }
  request.signal.throwIfAborted()
  if (!finish)
    throw new Problem('unavailable', 'provider_error', 'The model ended without finishing its answer')
  return finish
}

/** The tool calls of one step, one after the other: later ones may build on what earlier ones wrote. */
const act = async (request: LoopRequest, state: State, calls: readonly ToolCall[]) => {
  for (const call of calls) {
    const about = { step: state.steps, call, title: request.toolbox.title(call) }
    request.onEvent?.({ type: 'tool:call', ...about })
    const outcome = await request.toolbox.call(call, request.signal)
    state.toolCalls += 1
    const { content, failed } = outcome
    state.messages.push({ role: 'tool', callId: call.id, name: call.name, content, failed })
    request.onEvent?.({ type: 'tool:result', ...about, outcome })
  }
}

const isWhole = ({ reason }: Finish) => reason === 'stop' || reason === 'tool-calls'

const endOf = (finish: Finish, state: State): LoopResult['ended'] => {
  if (!isWhole(finish)) return 'cut'
  if (finish.message.toolCalls?.length) return 'max_steps'
  return finish.message.content.trim() === '' && state.toolCalls === 0 ? 'empty' : 'answered'
}

/** Asks, runs the tools that were called, and asks again, until the model calls none, is cut off or has no step left. */
export const createLoop =
  ({ models }: { models: Models }): RunLoop =>
  async (request) => {
    const usage = { promptTokens: 0, completionTokens: 0, totalTokens: 0 }
    const state: State = { messages: [...request.messages], steps: 0, toolCalls: 0, usage }
    const { maxSteps, signal, onEvent } = request
    for (;;) {
      signal.throwIfAborted()
      state.steps += 1
      onEvent?.({ type: 'step:start', step: state.steps, maxSteps, usedTokens: state.usage.totalTokens })
      const finish = await think(models, request, state)
      state.usage = plus(state.usage, finish.usage)
      state.messages.push(finish.message)
      // The calls of an answer that was cut off may be cut off themselves: they are not run.
      const calls = isWhole(finish) ? (finish.message.toolCalls ?? []) : []
      await act(request, state, calls)
      const usedTokens = state.usage.totalTokens
      const finishReason = finish.reason
      onEvent?.({
        type: 'step:complete',
        step: state.steps,
        usedTokens,
        toolCalls: calls.length,
        finishReason,
      })
      if (calls.length > 0 && state.steps < maxSteps) continue
      const { provider, model } = finish
      return {
        ...state,
        ended: endOf(finish, state),
        finishReason,
        text: finish.message.content,
        provider,
        model,
      }
    }
  }
