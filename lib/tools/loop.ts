import {
  estimateTokens,
  estimateToolTokens,
  isPromptTooLong,
  mostTokens,
  promptTokenLimit,
} from '../core/context-window.ts'
import { isCostLimitReached } from '../core/cost-limit.ts'
import { clipped } from '../core/cut-text.ts'
import { definedFields } from '../core/defined-fields.ts'
import { Problem } from '../core/errors.ts'
import type { Question } from '../core/question.ts'
import { addUsage, NO_USAGE, type TokenUsage } from '../core/token-usage.ts'
import type { ModelMessage, Models, StepPart, ToolCall } from '../ports/model.ts'
import type { LoopRequest, LoopResult, PendingCall, RunLoop, ToolOutcome } from '../ports/tool.ts'

const SHORTEST_RESULT = 2_000
/** The length of the note that says how much of a result is left out. */
const NOTE = 100

type Result = Extract<ModelMessage, { role: 'tool' }>

/** Fits the messages of a turn into the window of its model by cutting results of tools, the oldest first. */
const createWindow = (contextTokens: () => number, specs: readonly object[]) => {
  const specTokens = estimateToolTokens(specs)
  // Each message is estimated once: every step only adds a few.
  const costs = new WeakMap<ModelMessage, number>()
  const tokenCost = (message: ModelMessage): number => {
    const known = costs.get(message) ?? estimateTokens([message])
    costs.set(message, known)
    return known
  }

  const cut = (result: Result, mostLength: number): Result =>
    result.content.length <= mostLength + NOTE
      ? result
      : { ...result, content: clipped(result.content, mostLength) }

  return (messages: readonly ModelMessage[]): ModelMessage[] => {
    const most = promptTokenLimit(contextTokens()) - specTokens
    if (mostTokens(messages) <= most) return [...messages]
    let over = messages.reduce((sum, message) => sum + tokenCost(message), 0) - most
    const last = messages.findLastIndex(({ role }) => role === 'assistant')
    return messages.map((message, at) => {
      if (message.role !== 'tool' || over <= 0) return message
      const part = at < last ? 0 : Math.max(0, 1 - over / tokenCost(message))
      const mostLength = Math.max(SHORTEST_RESULT, Math.floor(message.content.length * part) - NOTE)
      const shorter = cut(message, mostLength)
      over -= tokenCost(message) - tokenCost(shorter)
      return shorter
    })
  }
}

type FitWindow = ReturnType<typeof createWindow>
type Finish = Extract<StepPart, { type: 'finish' }>
type State = {
  messages: ModelMessage[]
  steps: number
  toolCalls: number
  usage: TokenUsage
  pending: PendingCall[]
  /** Ends the loop after the step that asked it. */
  question?: Question | undefined
  /** The model that was asked first, if any step fell back from it. */
  fallbackFrom?: string
}

const isAnswerOnly = ({ answersLast = false, maxSteps }: LoopRequest, step: number): boolean =>
  answersLast && step === maxSteps

const stepRequest = (request: LoopRequest, { messages, steps }: State) => {
  const { provider, model, effort, temperature, maxOutputTokens, toolbox, signal } = request
  const choice = isAnswerOnly(request, steps) && { toolChoice: 'none' as const }
  return {
    ...definedFields({ provider, model, effort, temperature, maxOutputTokens }),
    ...(toolbox.specs.length > 0 && { tools: toolbox.specs, ...choice }),
    messages,
    signal,
  }
}

const think = async (models: Models, request: LoopRequest, state: State): Promise<Finish> => {
  let finish: Finish | undefined
  for await (const part of models.step(stepRequest(request, state))) {
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

/** As `think`; when the provider refuses the prompt as too long, the history is compacted and the model called again. */
const thinkWithin = async (
  models: Models,
  request: LoopRequest,
  state: State,
  fitWindow: FitWindow,
): Promise<Finish> => {
  state.messages = fitWindow(state.messages)
  try {
    return await think(models, request, state)
  } catch (thrown) {
    if (!isPromptTooLong(thrown)) throw thrown
    const given = await request.compacted?.()
    // Without results of tools there is nothing to cut: the same prompt would be refused again.
    if (given === undefined && state.messages.every(({ role }) => role !== 'tool')) throw thrown
    if (given) state.messages.splice(0, request.messages.length, ...given)
    state.messages = fitWindow(state.messages)
    return think(models, request, state)
  }
}

/** The events of one call: `tool:call` when it begins, and `tool:result`. A call that waits for a person has neither. */
const reporting = (request: LoopRequest, state: State, call: ToolCall) => {
  const about = { step: state.steps, call, title: request.toolbox.title(call) }
  let hasBegun = false
  const onBegin = () => {
    if (!hasBegun) request.onEvent?.({ type: 'tool:call', ...about })
    hasBegun = true
  }
  /** Adds the outcome to the history, or the call to the pending ones. Throws the error that ends the run. */
  const record = ({ fault, question, ...outcome }: ToolOutcome) => {
    const { decision, approvalId, content, failed } = outcome
    if (decision === 'pending' && approvalId !== undefined)
      return void state.pending.push({ call, approvalId })
    onBegin()
    state.toolCalls += 1
    state.question ??= question
    state.messages.push({ role: 'tool', callId: call.id, name: call.name, content, failed })
    const endsRun = fault === undefined ? {} : { endsRun: true }
    request.onEvent?.({ type: 'tool:result', ...about, outcome, ...endsRun })
    if (fault !== undefined) throw fault
  }
  return { onBegin, record }
}

/** Makes the calls of one step in sequence. After one that waits for approval each is only checked, so a person sees all. */
const act = async (request: LoopRequest, state: State, calls: readonly ToolCall[]) => {
  const { toolbox, signal } = request
  for (const call of calls) {
    const { onBegin, record } = reporting(request, state, call)
    const outcome =
      state.pending.length > 0
        ? await toolbox.ask(call, signal)
        : await toolbox.call(call, signal, { onBegin })
    if (outcome !== undefined) record(outcome)
  }
}

/** Continues a step that stopped for an approval: makes its calls up to the first undecided one, and checks the rest. */
const goOn = async (request: LoopRequest, state: State) => {
  const { toolbox, signal, stopped } = request
  const approvals = new Map(stopped?.waiting.map(({ callId, approvalId }) => [callId, approvalId]))
  for (const call of unansweredCalls(state.messages)) {
    const approvalId = approvals.get(call.id)
    const isStopped = state.pending.length > 0
    if (approvalId !== undefined && (isStopped || !(await toolbox.isDecided(approvalId))))
      state.pending.push({ call, approvalId })
    else if (!isStopped) {
      const { onBegin, record } = reporting(request, state, call)
      record(await toolbox.call(call, signal, { isChecked: true, onBegin }))
    }
  }
}

/** The calls of the last step without a result: those of a loop that stopped for an approval. */
const unansweredCalls = (messages: readonly ModelMessage[]): readonly ToolCall[] => {
  const at = messages.findLastIndex(({ role }) => role === 'assistant')
  const last = messages[at]
  if (last?.role !== 'assistant') return []
  const answered = new Set(messages.slice(at + 1).map((one) => (one.role === 'tool' ? one.callId : '')))
  return (last.toolCalls ?? []).filter(({ id }) => !answered.has(id))
}

/** The latest text since the user's message. A step that only calls tools has no text, and the last text may be empty. */
const latestText = (messages: readonly ModelMessage[]): string => {
  const from = messages.findLastIndex(({ role }) => role === 'user') + 1
  const lastText = messages
    .slice(from)
    .findLast(({ role, content }) => role === 'assistant' && content.trim() !== '')
  return lastText?.content ?? ''
}

/** Whether the model ended its answer; an unknown finish reason counts as its end. */
const isComplete = ({ reason }: Finish) => reason !== 'length' && reason !== 'content-filter'

/** The most cut calls of one run that the model is asked to make again. */
const MOST_CUTS = 3
const CUT_CALL =
  'Not made: your answer reached its output limit inside this call. Make it again with less text, in several calls if needed.'

/** Answers the calls that the output limit cut, which the model may repeat; false when there are none, or too many. */
const answerCutCalls = (state: State, { reason, message }: Finish): boolean => {
  const { toolCalls = [] } = message
  const cuts = state.messages.filter(({ content }) => content === CUT_CALL).length
  if (reason !== 'length' || toolCalls.length === 0 || cuts >= MOST_CUTS) return false
  for (const { id, name } of toolCalls)
    state.messages.push({ role: 'tool', callId: id, name, content: CUT_CALL, failed: true })
  return true
}

const isBudgetSpent = ({ maxTokens }: LoopRequest, { usage }: State) =>
  maxTokens !== undefined && usage.totalTokens >= maxTokens

const isAtCostLimit = ({ maxCostUsd }: LoopRequest, { usage }: State) =>
  isCostLimitReached(usage.cost?.usd, maxCostUsd)

const isSpent = (request: LoopRequest, state: State) =>
  isBudgetSpent(request, state) || isAtCostLimit(request, state)

/** Which limit ends a loop whose model called tools last. */
const limitEnd = (request: LoopRequest, state: State) => {
  if (isAtCostLimit(request, state)) return 'cost_limit'
  return isBudgetSpent(request, state) ? 'budget' : 'max_steps'
}

/** How a loop ends whose calls wait for approval, or asked a person. */
const stoppedEnd = ({ pending, question }: State) => {
  if (pending.length > 0) return 'waiting'
  return question === undefined ? undefined : 'asked'
}

const isStopped = (state: State) => stoppedEnd(state) !== undefined

const loopEnd = (request: LoopRequest, finish: Finish, state: State): LoopResult['ended'] => {
  const stopped = stoppedEnd(state)
  if (stopped !== undefined) return stopped
  if (!isComplete(finish)) return 'cut'
  if (finish.message.toolCalls?.length) return limitEnd(request, state)
  if (finish.message.content.trim() !== '') return 'answered'
  return isAnswerOnly(request, state.steps) ? 'max_steps' : 'empty'
}

/** Whether the last step is the model's answer; after any other step the loop was stopped. */
const isEnd = (ended: LoopResult['ended']) =>
  ended === 'answered' || ended === 'cut' || ended === 'empty' || ended === 'asked'

/** The answer of a step that may call no tool, without the calls of a model that calls one all the same. */
const withoutRefusedCalls = (finish: Finish, isAnswerOnly: boolean): Finish => {
  const { role, content, toolCalls = [] } = finish.message
  return isAnswerOnly && toolCalls.length > 0 ? { ...finish, message: { role, content } } : finish
}

/** Calls the model and makes the tool calls of its answer; returns how it finished, and whether another step follows. */
const takeStep = async (models: Models, request: LoopRequest, state: State, fitWindow: FitWindow) => {
  const { maxSteps, signal, onEvent, onStep } = request
  signal.throwIfAborted()
  state.steps += 1
  const step = state.steps
  onEvent?.({ type: 'step:start', step, maxSteps, usedTokens: state.usage.totalTokens })
  const thought = await thinkWithin(models, request, state, fitWindow)
  const finish = withoutRefusedCalls(thought, isAnswerOnly(request, step))
  state.usage = addUsage(state.usage, finish.usage)
  request.onUsage?.(state.usage)
  if (finish.usage.cost) request.onCost?.(finish.usage.cost)
  if (finish.fallbackFrom !== undefined) state.fallbackFrom ??= finish.fallbackFrom
  state.messages.push(finish.message)
  // The tool calls of an answer that was cut off may be incomplete: they are not made.
  const calls = isComplete(finish) ? (finish.message.toolCalls ?? []) : []
  await act(request, state, calls)
  const mayRepeatCalls = answerCutCalls(state, finish)
  const { totalTokens: usedTokens } = state.usage
  const { reason: finishReason } = finish
  onEvent?.({ type: 'step:complete', step, usedTokens, toolCalls: calls.length, finishReason })
  const { provider, model } = finish
  onStep?.({ ...state, messages: [...state.messages], lastText: latestText(state.messages), provider, model })
  const isUnfinished = mayRepeatCalls || (calls.length > 0 && !isStopped(state))
  return { finish, goesOn: isUnfinished && step < maxSteps && !isSpent(request, state) }
}

/**
 * Calls the model, runs its tool calls, and calls it again, until it calls no tool, is cut off, no step or token is left,
 * a call waits for approval, or one asks a person. When the messages end with calls without results, the loop begins with these calls.
 */
export const createLoop =
  ({ models }: { models: Models }): RunLoop =>
  async (given) => {
    const { steps = 0, toolCalls = 0, usage = NO_USAGE, question } = given.stopped ?? {}
    const request = { ...given, maxSteps: Math.max(given.maxSteps, steps + 1) }
    const state: State = { messages: [...request.messages], steps, toolCalls, usage, pending: [], question }
    const fitWindow = createWindow(() => models.contextTokens(models.resolve(request)), request.toolbox.specs)
    request.signal.throwIfAborted()
    await goOn(request, state)
    if (isStopped(state) || isSpent(request, state)) {
      // The model is not called: approvals are undecided, a person was asked, or its tokens were spent before.
      const ended = stoppedEnd(state) ?? limitEnd(request, state)
      const answer = { finishReason: 'tool-calls', text: '', lastText: '' } as const
      return { ...state, ended, ...answer, ...models.resolve(request) }
    }
    for (;;) {
      const { finish, goesOn } = await takeStep(models, request, state, fitWindow)
      if (goesOn) continue
      const { provider, model, reason: finishReason } = finish
      const ended = loopEnd(request, finish, state)
      const lastText = latestText(state.messages)
      const text = isEnd(ended) ? finish.message.content : lastText
      return { ...state, ended, finishReason, lastText, provider, model, text }
    }
  }
