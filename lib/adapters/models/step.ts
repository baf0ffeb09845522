import type { ContentPart, LanguageModelStreamPart, ToolSet } from 'ai'
import { type Cost, pricedCost, UNKNOWN_COST } from '../../core/cost.ts'
import { parseJson } from '../../core/json.ts'
import type { Masker } from '../../core/masker.ts'
import { watchSilence } from '../../core/silence.ts'
import type { TokenUsage } from '../../core/token-usage.ts'
import type { Clock } from '../../ports/clock.ts'
import type { FinishReason, StepPart, StepRequest, ToolCall, ToolSpec } from '../../ports/model.ts'
import type { Prices } from '../../ports/prices.ts'
import { providerError, type Scene, sceneFor, toProblem } from './failures.ts'
import type { OpenModel } from './loaders.ts'
import { toOpaque, toPrompt } from './messages.ts'
import type { Provider } from './resolve.ts'
import { refuseTooManyCalls } from './step-limits.ts'
import { countIn, fieldsIn, textIn } from './wire-fields.ts'

type SdkPart = LanguageModelStreamPart<ToolSet>
type Ended = Extract<SdkPart, { type: 'model-call-end' }>

type Needs = {
  clock: Clock
  open: (provider: Provider) => Promise<OpenModel>
  masker: Masker
  /** The output limit of a request that sets none. */
  maxOutputTokens: number
  silenceMs: number
  prices: Prices | undefined
}

type Call = {
  prices: Prices | undefined
  provider: Provider
  open: OpenModel
  request: StepRequest
  maxOutputTokens: number
  /** Aborts with the caller's reason, with an error when the provider is silent, or when the step is over. */
  signal: AbortSignal
  silence: ReturnType<typeof watchSilence>
  scene: Scene
}

// Tools have no `execute`, so that the SDK ends after the call; it does not check the tool's schema.
const toTools = async (specs: readonly ToolSpec[] = []) => {
  if (specs.length === 0) return {}
  const { jsonSchema, tool } = await import('ai')
  const tools: ToolSet = {}
  for (const { name, description, inputSchema } of specs)
    tools[name] = tool({ description, inputSchema: jsonSchema(inputSchema) })
  return { tools }
}

const toSettings = ({ provider, request, maxOutputTokens, signal }: Call) => {
  const { effort, options } = provider.entry
  return {
    maxOutputTokens: request.maxOutputTokens ?? maxOutputTokens,
    abortSignal: signal,
    ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
    ...(request.tools?.length && request.toolChoice ? { toolChoice: request.toolChoice } : {}),
    ...(request.effort && effort ? { reasoning: effort[request.effort] } : {}),
    ...(options ? { providerOptions: options } : {}),
  }
}

// One call without the loop of `streamText`: each stage costs time for every chunk. `retry.ts` alone decides about
// retries.
const start = async (call: Call, onContent: (content: Answer['made']) => void) => {
  // The SDK prints its warnings, with the prompt, to stderr.
  globalThis.AI_SDK_LOG_WARNINGS = false
  const { experimental_streamLanguageModelCall: streamCall } = await import('ai')
  const tools = await toTools(call.request.tools)
  const { stream } = await streamCall({
    model: call.open(call.scene.model),
    ...toPrompt(call.request.messages, call.provider),
    ...toSettings(call),
    ...tools,
    onLanguageModelCallEnd: ({ content }) => onContent(content),
  })
  return stream
}

const readUsage = async (ended: Ended, { prices, scene }: Call): Promise<TokenUsage> => ({
  ...toUsage(ended),
  cost: await readCost(ended, scene, prices),
})

/** The cost of a call by the price of its model; unknown where the provider gave no counts. */
const readCost = async (
  { usage }: Ended,
  { provider, model }: Scene,
  prices: Prices | undefined,
): Promise<Cost> => {
  const [input, output] = [countIn(usage.inputTokens), countIn(usage.outputTokens)]
  if (prices === undefined || (input === undefined && output === undefined)) return UNKNOWN_COST
  const cachedInput = countIn(usage.inputTokenDetails?.cacheReadTokens) ?? 0
  const cacheWrites = countIn(usage.inputTokenDetails?.cacheWriteTokens) ?? 0
  const reasoning = Math.min(output ?? 0, countIn(usage.outputTokenDetails?.reasoningTokens) ?? 0)
  const counts = {
    input: Math.max(0, (input ?? 0) - cachedInput - cacheWrites),
    cachedInput,
    cacheWrites,
    output: (output ?? 0) - reasoning,
    reasoning,
  }
  const price = await prices.load()
  return pricedCost(price({ provider, model, usage: counts }))
}

const toUsage = ({ usage }: Ended): TokenUsage => {
  const { inputTokens, outputTokens, totalTokens } = usage
  const [promptTokens, completionTokens] = [countIn(inputTokens) ?? 0, countIn(outputTokens) ?? 0]
  return {
    promptTokens,
    completionTokens,
    totalTokens: countIn(totalTokens) ?? promptTokens + completionTokens,
  }
}

const reasonOrThrow = ({ finishReason, rawFinishReason }: Ended, scene: Scene): FinishReason => {
  const isUnnamed = finishReason === 'other' && rawFinishReason === undefined
  if (isUnnamed || finishReason === 'error' || finishReason === 'interrupted') throw unreadableEnd(scene)
  return finishReason
}

const unreadableEnd = (scene: Scene) =>
  providerError(scene, 'unreadable', 'ended its response in an unreadable way')

/** Arguments that no API of ours would take are passed on as the model's text, as malformed ones are. */
const passableArguments = (input: unknown): unknown => {
  if (typeof input === 'string') return input
  const json = JSON.stringify(input)
  try {
    parseJson(json)
    return input
  } catch {
    return json
  }
}

const toCall = (part: Extract<SdkPart, { type: 'tool-call' }>): ToolCall => ({
  id: part.toolCallId,
  name: part.toolName,
  arguments: passableArguments(part.input),
})

/** Gemini leaves a malformed call out and quotes it in a message: it becomes a call of the tool that the message names. */
const quotedCall = async (ended: Ended, scene: Scene, tools: readonly ToolSpec[] = []) => {
  if (ended.rawFinishReason !== 'MALFORMED_FUNCTION_CALL') return undefined
  const quoted = textIn(fieldsIn(ended.providerMetadata?.google).finishMessage) ?? 'Malformed function call'
  if (tools.length === 0)
    throw providerError(scene, 'unreadable', `ended its response with an error: ${quoted}`)
  const { generateId } = await import('ai')
  const words = new Set(quoted.match(/\w+/g))
  const name = tools.find((each) => words.has(each.name))?.name ?? 'unknown'
  return { id: generateId(), name, arguments: quoted }
}

const toTextPart = (part: SdkPart): StepPart | undefined => {
  if ((part.type !== 'text-delta' && part.type !== 'reasoning-delta') || part.text === '') return undefined
  return { type: part.type === 'text-delta' ? 'text' : 'reasoning', text: part.text }
}

/** `made` is everything that the model made, in order, with the provider's metadata. */
type Answer = {
  content: string
  toolCalls: ToolCall[]
  made: readonly ContentPart<ToolSet>[]
  /** The calls that have begun and are not complete. */
  begun: Map<string, ToolCall & { arguments: string }>
  /** The arguments of a call were replaced: the provider's form of the message has them still. */
  isRewritten: boolean
  ended?: Ended
}

const collect = (answer: Answer, part: SdkPart): void => {
  if (part.type === 'text-delta') answer.content += part.text
  if (part.type === 'tool-input-start')
    answer.begun.set(part.id, { id: part.id, name: part.toolName, arguments: '' })
  if (part.type === 'tool-input-delta') {
    const begun = answer.begun.get(part.id)
    if (begun) begun.arguments += part.delta
  }
  if (part.type === 'tool-call') {
    answer.begun.delete(part.toolCallId)
    const call = toCall(part)
    answer.toolCalls.push(call)
    // A provider may repeat index and id: only the SDK knows whether a call goes on or a new one begins.
    refuseTooManyCalls(answer.toolCalls.length)
    answer.isRewritten ||= typeof call.arguments !== typeof part.input
  }
  if (part.type === 'model-call-end') answer.ended = part
}

// An error part is not the end of the SDK's stream: the rest could contain tool calls of a broken answer.
async function* read(call: Call): AsyncGenerator<StepPart, Answer> {
  const { signal, silence } = call
  const answer: Answer = { content: '', toolCalls: [], made: [], begun: new Map(), isRewritten: false }
  const stream = await start(call, (made) => {
    answer.made = made
  })
  for await (const part of stream) {
    silence.pause()
    if (part.type === 'error') throw part.error
    collect(answer, part)
    const textPart = toTextPart(part)
    if (textPart) yield textPart
    silence.start()
  }
  silence.pause()
  signal.throwIfAborted()
  return answer
}

/** One call of a model. Throws at the first sign of failure; tool calls come only once the answer is complete. */
async function* callModel(call: Call): AsyncGenerator<StepPart> {
  const { scene, request } = call
  const { content, toolCalls, made, begun, isRewritten, ended } = yield* read(call)
  if (!ended) throw unreadableEnd(scene)
  const quoted = await quotedCall(ended, scene, request.tools)
  if (quoted) toolCalls.push(quoted)
  const reason = quoted ? 'tool-calls' : reasonOrThrow(ended, scene)
  // The output limit may end an answer inside a call.
  if (reason === 'length') toolCalls.push(...begun.values())
  const isOther = isRewritten || quoted !== undefined || (reason === 'length' && begun.size > 0)
  const opaque = isOther ? {} : { opaque: toOpaque(scene.provider, made) }
  for (const toolCall of toolCalls) yield { type: 'tool-call', call: toolCall }
  yield {
    type: 'finish',
    reason,
    usage: await readUsage(ended, call),
    message: { role: 'assistant', content, ...(toolCalls.length > 0 ? { toolCalls } : {}), ...opaque },
    provider: scene.provider,
    model: scene.model,
  }
}

/**
 * One try of a step on a connection of its own, which is closed at the end. Throws Problems or the signal's reason; for a
 * provider that is silent too long as well, since a hanging one sends no error.
 */
export async function* attemptStep(
  { clock, open, masker, maxOutputTokens, silenceMs, prices }: Needs,
  provider: Provider,
  model: string,
  request: StepRequest,
): AsyncGenerator<StepPart> {
  const scene = sceneFor(provider, model, clock.now(), masker)
  const line = new AbortController()
  const signal = AbortSignal.any([request.signal, line.signal])
  const said = `sent nothing for ${silenceMs / 1000} s`
  const onSilence = () => line.abort(providerError(scene, 'transport', said, { isSilence: true }))
  const silence = watchSilence(clock, silenceMs, onSilence)
  try {
    const call = {
      provider,
      open: await open(provider),
      request,
      maxOutputTokens,
      signal,
      silence,
      scene,
      prices,
    }
    yield* callModel(call)
  } catch (thrown) {
    throw signal.aborted ? signal.reason : toProblem(thrown, scene)
  } finally {
    silence.end()
    line.abort(new DOMException('The step is over', 'AbortError'))
  }
}
