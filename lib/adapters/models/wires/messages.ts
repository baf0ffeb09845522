import type { StepLimits } from '../step-limits.ts'
import { countIn, countsIn, type Fields, fieldsIn, listIn, textIn } from '../wire-fields.ts'
import { TextEvent, type WireReader } from './reader.ts'

const COUNTS = [
  'input_tokens',
  'output_tokens',
  'cache_read_input_tokens',
  'cache_creation_input_tokens',
] as const

type Block = { begin: object; delta?: object }
type Blocks = Readonly<Record<string, (limits: StepLimits, block: Fields, index: number) => Block>>

/** The blocks that an answer without tools of the provider's own may have. Some servers send text at their beginning. */
const blocks: Blocks = {
  text: (_limits, { text }) => ({
    begin: { type: 'text', text: '' },
    ...(textIn(text) ? { delta: { type: 'text_delta', text } } : {}),
  }),
  thinking: (_limits, { thinking }) => ({
    begin: { type: 'thinking', thinking: '' },
    ...(textIn(thinking) ? { delta: { type: 'thinking_delta', thinking } } : {}),
  }),
  redacted_thinking: (limits, { data }) => ({
    begin: { type: 'redacted_thinking', data: limits.text(data) ?? '' },
  }),
  tool_use: (limits, block, index) => {
    const id = limits.identifier(block.id) ?? `call_${index + 1}`
    const name = limits.identifier(block.name) ?? ''
    limits.call(index, id)
    const input = fieldsIn(block.input)
    const partial_json = JSON.stringify(input)
    return {
      begin: { type: 'tool_use', id, name, input: {} },
      ...(partial_json === '{}' ? {} : { delta: { type: 'input_json_delta', partial_json } }),
    }
  },
}

/** The field of each known delta. */
const deltas: Readonly<Record<string, string>> = {
  text_delta: 'text',
  thinking_delta: 'thinking',
  signature_delta: 'signature',
  input_json_delta: 'partial_json',
}

/** The block of a delta that comes without the beginning of one, as some servers send it. */
const UNANNOUNCED_BLOCKS: Readonly<Record<string, string>> = {
  text_delta: 'text',
  thinking_delta: 'thinking',
}

/** The events of a message that came whole, as a server sends it that does not stream. */
const streamedMessage = (message: Fields): readonly Fields[] => [
  { type: 'message_start', message },
  ...listIn(message.content).flatMap((content_block, index) => [
    { type: 'content_block_start', index, content_block },
    { type: 'content_block_stop', index },
  ]),
  { type: 'message_delta', delta: message, usage: message.usage },
  { type: 'message_stop' },
]

/** Anthropic's messages (https://docs.anthropic.com/en/docs/build-with-claude/streaming). */
export const messages: WireReader = (limits) => {
  let isEnded = false
  let isReasonNamed = false
  let hasCall = false
  /** The indices of known blocks: deltas of others are left out with them. */
  const open = new Set<number>()
  /** The indices of all blocks. */
  const begun = new Set<number>()

  const blockDelta = (event: Fields, index: number): object[] => {
    const given = fieldsIn(event.delta)
    const field = deltas[String(given.type)]
    const block = begun.has(index) ? undefined : UNANNOUNCED_BLOCKS[String(given.type)]
    const beginning = block ? blockStart({ content_block: { type: block } }, index) : []
    const text = field && limits.text(given[field])
    if (!field || text === undefined || !open.has(index)) return []
    const withText = (joined: string) => ({
      type: 'content_block_delta',
      index,
      delta: { type: given.type, [field]: joined },
    })
    return [...beginning, new TextEvent(`${index}/${field}`, text, withText)]
  }

  const blockStart = (event: Fields, index: number): object[] => {
    const given = fieldsIn(event.content_block)
    const known = blocks[String(given.type)]
    begun.add(index)
    if (!known) return []
    open.add(index)
    hasCall ||= given.type === 'tool_use'
    const { begin, delta } = known(limits, given, index)
    return [
      { type: 'content_block_start', index, content_block: begin },
      ...(delta ? blockDelta({ delta }, index) : []),
    ]
  }

  const ending = (reason: unknown, usage: unknown): object => {
    const stop_reason = textIn(reason) ?? null
    isReasonNamed ||= stop_reason !== null
    return {
      type: 'message_delta',
      delta: { stop_reason },
      usage: { output_tokens: 0, ...countsIn(usage, COUNTS) },
    }
  }

  const events: Readonly<Record<string, (event: Fields, index: number) => object[]>> = {
    message_start: ({ message }) => [
      {
        type: 'message_start',
        message: {
          id: '',
          type: 'message',
          role: 'assistant',
          model: '',
          content: [],
          usage: { input_tokens: 0, output_tokens: 0, ...countsIn(fieldsIn(message).usage, COUNTS) },
        },
      },
    ],
    content_block_start: blockStart,
    content_block_delta: blockDelta,
    content_block_stop: (_event, index) =>
      open.delete(index) ? [{ type: 'content_block_stop', index }] : [],
    message_delta: ({ delta, usage }) => [ending(fieldsIn(delta).stop_reason, usage)],
    message_stop: () => {
      if (isEnded) return []
      isEnded = true
      // Some servers name no reason: the answer is whole all the same.
      const named = isReasonNamed ? [] : [ending(hasCall ? 'tool_use' : 'end_turn', undefined)]
      return [...named, { type: 'message_stop' }]
    },
  }

  const read = (event: Fields, type: string): object[] =>
    events[type]?.(event, countIn(event.index) ?? 0) ?? []

  return {
    read: (event, type) =>
      type === 'message'
        ? streamedMessage(event).flatMap((each) => read(each, String(each.type)))
        : read(event, type),
    // Some servers leave out the last event: an answer whose reason of its end is known is whole.
    done: () => (isReasonNamed ? (events.message_stop?.({}, 0) ?? []) : []),
    hasEnded: () => isEnded,
  }
}
