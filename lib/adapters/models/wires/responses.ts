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

const usageIn = (usage: unknown): object | undefined => {
  if (!isFields(usage)) return undefined
  const { input_tokens = 0, output_tokens = 0 } = countsIn(usage, ['input_tokens', 'output_tokens'])
  return { input_tokens, output_tokens, total_tokens: input_tokens + output_tokens }
}

const partsIn = (limits: StepLimits, type: string, given: unknown): object[] =>
  listIn(given).map(({ text }) => ({ type, text: limits.text(text) ?? '' }))

type Items = Readonly<Record<string, (limits: StepLimits, item: Fields, index: number) => Fields>>

/** The items that an answer without tools of the provider's own may have. */
const items: Items = {
  message: (_limits, { phase }) =>
    definedFields({
      role: 'assistant',
      content: [],
      status: 'completed',
      phase: phase === 'commentary' || phase === 'final_answer' ? phase : undefined,
    }),
  reasoning: (limits, { summary, encrypted_content }) =>
    definedFields({
      summary: partsIn(limits, 'summary_text', summary),
      status: 'completed',
      encrypted_content: limits.text(encrypted_content),
    }),
  function_call: (limits, { call_id, name, arguments: input }, index) => ({
    call_id: limits.identifier(call_id) ?? `call_${index + 1}`,
    name: limits.identifier(name) ?? '',
    arguments: limits.text(jsonTextIn(input)) ?? '',
    status: 'completed',
  }),
}

/** The events with one text, and its field. */
const texts: Readonly<Record<string, string>> = {
  'response.output_text.delta': 'delta',
  'response.output_text.done': 'text',
  'response.refusal.delta': 'delta',
  'response.reasoning_summary_text.delta': 'delta',
  'response.reasoning_text.delta': 'delta',
  'response.function_call_arguments.delta': 'delta',
  'response.function_call_arguments.done': 'arguments',
}

/** The events of a response that came whole, as a server sends it that does not stream. */
const streamedResponse = (response: Fields): readonly Fields[] => [
  ...listIn(response.output).flatMap((item, output_index) => [
    { type: 'response.output_item.added', output_index, item },
    ...(item.type === 'message' ? listIn(item.content) : []).map(({ text }, content_index) => ({
      type: 'response.output_text.delta',
      item_id: item.id,
      output_index,
      content_index,
      delta: text,
    })),
    { type: 'response.output_item.done', output_index, item },
  ]),
  { type: response.status === 'incomplete' ? 'response.incomplete' : 'response.completed', response },
]

/** OpenAI's Responses API (https://platform.openai.com/docs/api-reference/responses-streaming). */
export const responses: WireReader = (limits) => {
  let isEnded = false

  const partPlace = ({ item_id, output_index, content_index, summary_index }: Fields) => ({
    item_id: limits.reference(item_id) ?? '',
    output_index: countIn(output_index) ?? 0,
    content_index: countIn(content_index) ?? 0,
    summary_index: countIn(summary_index) ?? 0,
  })

  const itemEvent = (type: string, event: Fields): object[] => {
    const given = fieldsIn(event.item)
    const kind = String(given.type)
    const known = items[kind]
    if (!known) return []
    const output_index = countIn(event.output_index) ?? 0
    if (kind === 'function_call') limits.call(output_index, limits.identifier(given.call_id))
    const item = { type: kind, id: limits.reference(given.id) ?? '', ...known(limits, given, output_index) }
    return [{ type, output_index, item }]
  }

  const failed = (_type: string, { response }: Fields): never => {
    throw failureIn(fieldsIn(response)) ?? new WireFailure('failed', { reason: 'status' })
  }

  const end = (type: string, { response }: Fields): object[] => {
    const { usage, incomplete_details, status: named } = fieldsIn(response)
    if (named === 'failed' || named === 'cancelled') failed(type, { response })
    isEnded = true
    const reason =
      textIn(fieldsIn(incomplete_details).reason) ??
      (type === 'response.incomplete' ? 'max_output_tokens' : undefined)
    const status = {
      id: '',
      object: 'response',
      output: [],
      status: 'completed',
      usage: usageIn(usage),
      incomplete_details: reason === undefined ? undefined : { reason },
    }
    return [{ type, response: definedFields(status) }]
  }

  const textEvent = (field: string, type: string, event: Fields): object[] => {
    const text = limits.text(event[field])
    if (text === undefined) return []
    const place = partPlace(event)
    const withText = (joined: string) => ({ type, ...place, [field]: joined })
    return [field === 'delta' ? new TextEvent(JSON.stringify([type, place]), text, withText) : withText(text)]
  }

  const summaryPart = (type: string, event: Fields): object[] => [
    { type, ...partPlace(event), part: { type: 'summary_text', text: '' } },
  ]

  const others: Readonly<Record<string, (type: string, event: Fields) => object[]>> = {
    'response.created': (type) => [
      { type, response: { id: '', object: 'response', created_at: 0, model: '', output: [] } },
    ],
    'response.output_item.added': itemEvent,
    'response.output_item.done': itemEvent,
    'response.reasoning_summary_part.added': summaryPart,
    'response.reasoning_summary_part.done': summaryPart,
    'response.completed': end,
    'response.incomplete': end,
    'response.done': end,
    'response.failed': failed,
    'response.cancelled': failed,
  }

  const read = (event: Fields, type: string): object[] => {
    const field = texts[type]
    return field ? textEvent(field, type, event) : (others[type]?.(type, event) ?? [])
  }

  return {
    read: (event, type) =>
      event.object === 'response'
        ? streamedResponse(event).flatMap((each) => read(each, String(each.type)))
        : read(event, type),
    hasEnded: () => isEnded,
  }
}
