import { definedFields } from '../../../core/defined-fields.ts'
import type { StepLimits } from '../step-limits.ts'
import { failureIn, WireFailure } from '../wire-failure.ts'
import {
  countIn,
  countsIn,
  type Fields,
  fieldsIn,
  isFields,
  jsonTextIn,
  listIn,
  textIn,
} from '../wire-fields.ts'
import { TextEvent, type WireReader } from './reader.ts'

const COUNTS = ['prompt_tokens', 'completion_tokens', 'total_tokens'] as const

const usageIn = (usage: unknown): object | undefined => {
  if (!isFields(usage)) return undefined
  const { prompt_tokens = 0, completion_tokens = 0, total_tokens } = countsIn(usage, COUNTS)
  return { prompt_tokens, completion_tokens, total_tokens: total_tokens ?? prompt_tokens + completion_tokens }
}

/** The text of `content`: a text, or a list of parts, of which some providers make thinking one. */
const contentIn = (given: unknown) => {
  if (!Array.isArray(given)) return { text: given, thinking: undefined }
  const joinedTexts = (parts: readonly Fields[]) => parts.map(({ text }) => textIn(text) ?? '').join('')
  const thinking = listIn(given).flatMap(({ type, thinking: inner }) =>
    type === 'thinking' ? listIn(inner) : [],
  )
  return { text: joinedTexts(listIn(given)), thinking: joinedTexts(thinking) || undefined }
}

const toolCallIn = (limits: StepLimits, given: Fields, position: number): object => {
  const { name, arguments: input } = fieldsIn(given.function)
  const index = countIn(given.index) ?? position
  const id = limits.identifier(given.id)
  const named = limits.identifier(name)
  if (id !== undefined || named !== undefined) limits.call(index, id)
  const text = limits.text(jsonTextIn(input))
  if (named !== undefined && text?.trimStart().startsWith('{')) limits.beginning()
  return definedFields({
    index,
    id,
    type: 'function',
    function: definedFields({ name: named, arguments: text }),
  })
}

/** A delta of the answer; a server that does not stream sends a `message` with the same fields. */
const deltaIn = (limits: StepLimits, { delta, message }: Fields): Fields => {
  const given = fieldsIn(delta ?? message)
  const { text, thinking } = contentIn(given.content)
  const reasoning = limits.text(thinking ?? textIn(given.reasoning_content) ?? textIn(given.reasoning))
  const calls = listIn(given.tool_calls).map((each, n) => toolCallIn(limits, each, n))
  return definedFields({
    role: 'assistant',
    content: limits.text(text),
    refusal: limits.text(textIn(given.refusal)),
    // The name of the field differs by provider.
    reasoning_content: reasoning,
    reasoning,
    tool_calls: calls.length === 0 ? undefined : calls,
  })
}

/** Mistral's library reads thinking from a list of parts, the others read it from a field. */
const withParts = ({ reasoning, reasoning_content: _, content, ...delta }: Fields): Fields => ({
  ...delta,
  content: [
    ...(reasoning ? [{ type: 'thinking', thinking: [{ type: 'text', text: reasoning }] }] : []),
    ...(content ? [{ type: 'text', text: content }] : []),
  ],
})

const chunkWith = (choices: readonly object[]) => ({
  id: '',
  object: 'chat.completion.chunk',
  created: 0,
  model: '',
  choices,
})

/** The fields of a delta by their text; the name of that of reasoning differs by provider. */
const TEXTS: readonly (readonly [field: string, withText: (text: string) => object])[] = [
  ['content', (content) => ({ content })],
  ['reasoning_content', (text) => ({ reasoning_content: text, reasoning: text })],
  ['reasoning', (text) => ({ reasoning_content: text, reasoning: text })],
]

/** The text of a choice with nothing else, as nearly all chunks have. */
const textEventIn = ({ delta, finish_reason }: Fields): TextEvent | undefined => {
  const given = Object.entries(fieldsIn(delta)).filter(([name, value]) => name !== 'role' && value !== null)
  const [[field, text] = ['', '']] = given
  const withText = TEXTS.find(([name]) => name === field)?.[1]
  if (finish_reason || given.length !== 1 || !withText || !textIn(text)) return undefined
  return new TextEvent(field, String(text), (joined) =>
    chunkWith([{ index: 0, delta: { role: 'assistant', ...withText(joined) }, finish_reason: null }]),
  )
}

/** The documented reason for other names of it; an unknown one is passed on. */
const REASONS: Readonly<Record<string, string>> = {
  eos: 'stop',
  eos_token: 'stop',
  end_turn: 'stop',
  stop_sequence: 'stop',
  tool_use: 'tool_calls',
  tool_call: 'tool_calls',
  max_tokens: 'length',
  max_output_tokens: 'length',
  model_length: 'length',
  safety: 'content_filter',
}
/** The reasons of answers that the provider broke off. */
const BROKEN_OFF = /^(?:error|abort|aborted|cancelled|insufficient_system_resource)$/

const reasonIn = (given: unknown): string | undefined => {
  const named = textIn(given)?.toLowerCase()
  if (named === undefined) return undefined
  if (BROKEN_OFF.test(named)) throw new WireFailure('ended its response with an error', { reason: 'status' })
  return Object.hasOwn(REASONS, named) ? REASONS[named] : named
}

/** The choice that is the answer; throws the failure that it reports. */
const firstChoiceIn = (choices: unknown): Fields | undefined => {
  const [first] = listIn(choices).filter(({ index }) => !Number(index))
  const failure = first && failureIn(first)
  if (failure) throw failure
  return first
}

/** Chat completions (https://platform.openai.com/docs/api-reference/chat-streaming/streaming), also as others send them. */
export const chatCompletions: WireReader = (limits) => {
  let isBegun = false
  let isEnded = false

  const choiceIn = (given: Fields): object => {
    const finish = reasonIn(given.finish_reason)
    isEnded ||= finish !== undefined
    return { index: 0, delta: deltaIn(limits, given), finish_reason: finish ?? null }
  }

  return {
    read: ({ choices, usage, x_groq }) => {
      const first = firstChoiceIn(choices)
      isBegun ||= first !== undefined
      const usageCounts = usageIn(usage)
      const groqUsage = usageIn(fieldsIn(x_groq).usage)
      if (first === undefined && !usageCounts && !groqUsage) return []
      const event = first && !usageCounts && !groqUsage ? textEventIn(first) : undefined
      if (event) limits.text(event.text)
      if (event) return [event]
      const chunk = chunkWith(first ? [choiceIn(first)] : [])
      return [definedFields({ ...chunk, usage: usageCounts, x_groq: groqUsage && { usage: groqUsage } })]
    },
    // Some servers name no reason, and end the stream by `[DONE]` alone.
    done: (isMarked) => {
      if (isEnded || !isBegun || !isMarked) return []
      isEnded = true
      return [chunkWith([{ index: 0, delta: {}, finish_reason: 'stop' }])]
    },
    hasEnded: () => isEnded,
  }
}

/** Chat completions for Mistral's library, which expects a choice in each chunk. */
export const mistralChatCompletions: WireReader = (limits) => {
  const { read, ...end } = chatCompletions(limits)
  const adaptedChoice = (choice: Fields = { index: 0, delta: {}, finish_reason: null }): Fields =>
    fieldsIn(choice.delta).reasoning ? { ...choice, delta: withParts(fieldsIn(choice.delta)) } : choice
  const withChoice = (chunk: object) => ({
    ...chunk,
    choices: [adaptedChoice(listIn(fieldsIn(chunk).choices)[0])],
  })
  const adapted = (event: object) =>
    event instanceof TextEvent
      ? new TextEvent(event.key, event.text, (text) => withChoice(event.withText(text)))
      : withChoice(event)
  return { read: (event, type) => read(event, type).map(adapted), ...end }
}
