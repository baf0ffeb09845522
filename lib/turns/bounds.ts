import { clipped, cutTexts } from '../core/cut-text.ts'
import type { ModelMessage } from '../ports/model.ts'
import type { ChatToolCall } from './schema.ts'

/** The most characters of a tool's result in a stored message, and of each text in a call's arguments. */
export const LONGEST_RESULT = 20_000
const LONGEST_ANSWER = 400_000
/** The most characters of all calls of a message: beyond it calls are cut to excerpts, the oldest first. */
const MOST_OF_MESSAGE = 400_000
const EXCERPT = 500
/** The most characters of a tool's result in a turn that waits, since the model continues from it; and of all results. */
const LONGEST_WAITING = 100_000
const MOST_WAITING = 1_000_000
const SHORTEST_WAITING = 2_000

export const boundedAnswer = (text: string): string => clipped(text, LONGEST_ANSWER)

/** Cuts each text in the arguments; arguments with many texts become one text. */
const boundedArguments = (given: unknown, most: number): unknown => {
  if ((JSON.stringify(given) ?? '').length <= most) return given
  const cut = cutTexts(given, (text) => clipped(text, most))
  const text = JSON.stringify(cut)
  return text.length <= 2 * most ? cut : clipped(text, most)
}

const boundedCall = (call: ChatToolCall, most: number): ChatToolCall => ({
  ...call,
  arguments: boundedArguments(call.arguments, most),
  ...(call.result === undefined ? {} : { result: clipped(call.result, most) }),
})

const callSize = ({ arguments: given, result = '' }: ChatToolCall): number =>
  result.length + (JSON.stringify(given) ?? '').length

/** The calls of a message, cut for storage. The audit record has more of each. */
export const boundedCalls = (calls: readonly ChatToolCall[]): ChatToolCall[] => {
  let left = MOST_OF_MESSAGE
  const newestFirst = calls.toReversed().map((call) => {
    const bounded = boundedCall(call, LONGEST_RESULT)
    const fitting = callSize(bounded) <= left ? bounded : boundedCall(call, EXCERPT)
    left -= callSize(fitting)
    return fitting
  })
  return newestFirst.reverse()
}

const totalResultLength = (messages: readonly ModelMessage[]): number =>
  messages.reduce((sum, { role, content }) => sum + (role === 'tool' ? content.length : 0), 0)

const boundedResults = (messages: readonly ModelMessage[]): ModelMessage[] => {
  const cut = messages.map((message) =>
    message.role === 'tool' ? { ...message, content: clipped(message.content, LONGEST_WAITING) } : message,
  )
  let over = totalResultLength(cut) - MOST_WAITING
  return cut.map((message) => {
    if (message.role !== 'tool' || over <= 0) return message
    const content = clipped(message.content, SHORTEST_WAITING)
    over -= message.content.length - content.length
    return { ...message, content }
  })
}

const callsIn = (message: ModelMessage) => (message.role === 'assistant' ? (message.toolCalls ?? []) : [])

/** The prompt of a waiting turn, cut for storage. Calls without a result stay whole: they have yet to be made. */
export const boundedPrompt = (messages: readonly ModelMessage[]): ModelMessage[] => {
  const bounded = boundedResults(messages)
  if (JSON.stringify(bounded.flatMap(callsIn)).length <= MOST_WAITING) return bounded
  const last = bounded.findLastIndex(({ role }) => role === 'assistant')
  const answered = new Set(bounded.slice(last + 1).map((one) => (one.role === 'tool' ? one.callId : '')))
  return bounded.map((message, at) => {
    if (message.role !== 'assistant' || message.toolCalls === undefined) return message
    const toolCalls = message.toolCalls.map((call) =>
      at < last || answered.has(call.id)
        ? { ...call, arguments: boundedArguments(call.arguments, LONGEST_RESULT) }
        : call,
    )
    if (toolCalls.every((call, nth) => call.arguments === message.toolCalls?.[nth]?.arguments)) return message
    // The provider's own form of the message has the whole arguments too.
    const { opaque: _, ...shorter } = message
    return { ...shorter, toolCalls }
  })
}
