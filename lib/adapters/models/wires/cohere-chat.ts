import { failureIn, WireFailure } from '../wire-failure.ts'
import { countIn, countsIn, type Fields, fieldsIn, jsonTextIn, textIn } from '../wire-fields.ts'
import type { WireReader } from './reader.ts'

const usageIn = (usage: unknown): object => {
  const { tokens, billed_units } = fieldsIn(usage)
  const counts = countsIn(tokens ?? billed_units, ['input_tokens', 'output_tokens'])
  return { tokens: { input_tokens: 0, output_tokens: 0, ...counts } }
}

/** Cohere's chat, version 2 (https://docs.cohere.com/v2/docs/streaming). */
export const cohereChat: WireReader = (limits) => {
  let isEnded = false
  let calls = 0

  const contentIn = ({ text, thinking }: Fields) =>
    thinking === undefined ? { text: limits.text(text) ?? '' } : { thinking: limits.text(thinking) ?? '' }

  const toolCallIn = (message: Fields): object => {
    const { id, function: given } = fieldsIn(message.tool_calls)
    const { name, arguments: input } = fieldsIn(given)
    limits.call(calls, limits.identifier(id))
    calls += 1
    return {
      id: limits.identifier(id) ?? `call_${calls}`,
      type: 'function',
      function: { name: limits.identifier(name) ?? '', arguments: limits.text(jsonTextIn(input)) ?? '' },
    }
  }

  const end = (delta: Fields): object => {
    const reason = textIn(delta.finish_reason) ?? ''
    if (reason.startsWith('ERROR') || reason === 'TIMEOUT')
      throw failureIn(delta) ?? new WireFailure('ended its response with an error', { reason: 'status' })
    isEnded = true
    return { finish_reason: reason, usage: usageIn(delta.usage) }
  }

  const deltas: Readonly<Record<string, (message: Fields, delta: Fields) => object>> = {
    'content-start': ({ content }) => {
      const given = contentIn(fieldsIn(content))
      return { message: { content: { type: Object.keys(given)[0], ...given } } }
    },
    'content-delta': ({ content }) => ({ message: { content: contentIn(fieldsIn(content)) } }),
    'tool-call-start': (message) => ({ message: { tool_calls: toolCallIn(message) } }),
    'tool-call-delta': (message) => {
      const { arguments: input } = fieldsIn(fieldsIn(message.tool_calls).function)
      return { message: { tool_calls: { function: { arguments: limits.text(input) ?? '' } } } }
    },
    'message-end': (_message, delta) => end(delta),
  }
  const plain: ReadonlySet<string> = new Set(['message-start', 'content-end', 'tool-call-end'])

  return {
    read: (event, type) => {
      const index = countIn(event.index) ?? 0
      if (plain.has(type)) return [{ type, index }]
      const delta = fieldsIn(event.delta)
      const known = deltas[type]?.(fieldsIn(delta.message), delta)
      return known ? [{ type, index, delta: known }] : []
    },
    hasEnded: () => isEnded,
  }
}
