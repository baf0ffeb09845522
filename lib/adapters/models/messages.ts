import { createHash } from 'node:crypto'
import type { AssistantContent, ContentPart, ModelMessage as SdkMessage, ToolSet } from 'ai'
import { jsonText } from '../../core/json.ts'
import type { ModelMessage } from '../../ports/model.ts'
import type { Provider } from './resolve.ts'
import { fieldsIn } from './wire-fields.ts'

type Assistant = Extract<ModelMessage, { role: 'assistant' }>
type Opaque = { provider: string; messages: SdkMessage[] }

type Part = Exclude<AssistantContent, string>[number]

/** A part that a model made, for its next request: the provider's metadata is sent back unchanged. */
const toPart = (made: ContentPart<ToolSet>): Part[] => {
  const providerOptions = 'providerMetadata' in made ? made.providerMetadata : undefined
  const more = providerOptions === undefined ? {} : { providerOptions }
  switch (made.type) {
    case 'text':
      return made.text === '' && !providerOptions ? [] : [{ type: made.type, text: made.text, ...more }]
    case 'reasoning':
      return [{ type: made.type, text: made.text, ...more }]
    case 'custom':
      return [{ type: made.type, kind: made.kind, ...more }]
    case 'file':
    case 'reasoning-file':
      return [{ type: made.type, data: made.file.base64, mediaType: made.file.mediaType, ...more }]
    case 'tool-call':
      return [
        {
          type: made.type,
          toolCallId: made.toolCallId,
          toolName: made.toolName,
          input: asInput(made.input),
          ...more,
        },
      ]
    default:
      return []
  }
}

/** The `opaque` of a message: plain JSON of the model's own turn, with its provider. */
export const toOpaque = (provider: string, made: readonly ContentPart<ToolSet>[]): Opaque => {
  const content = made.flatMap(toPart)
  const messages = content.length === 0 ? [] : [{ role: 'assistant', content }]
  return { provider, messages: JSON.parse(jsonText(messages)) }
}

const isMadeBy = (provider: string, opaque: unknown): opaque is Opaque =>
  fieldsIn(opaque).provider === provider && Array.isArray(fieldsIn(opaque).messages)

// Providers refuse arguments that are not an object; the failed tool result that follows gives the model the reason.
const asInput = (given: unknown): unknown => (typeof given === 'object' && given !== null ? given : {})

// Equal ids become equal ids, so that a call and its result stay together.
const callIdFor = ({ entry: { callIds } }: Provider, id: string): string =>
  !callIds || callIds.test(id) ? id : createHash('sha256').update(id).digest('hex').slice(0, 9)

const assistant = (message: Assistant, provider: Provider): SdkMessage[] => {
  if (isMadeBy(provider.kind, message.opaque)) return message.opaque.messages
  const text = message.content === '' ? [] : [{ type: 'text' as const, text: message.content }]
  const calls = (message.toolCalls ?? []).map((call) => ({
    type: 'tool-call' as const,
    toolCallId: callIdFor(provider, call.id),
    toolName: call.name,
    input: asInput(call.arguments),
  }))
  const content = [...text, ...calls]
  return content.length === 0 ? [] : [{ role: 'assistant', content }]
}

const toSdk = (message: ModelMessage, provider: Provider): SdkMessage[] => {
  if (message.role === 'assistant') return assistant(message, provider)
  if (message.role !== 'tool')
    return message.role === 'user' ? [{ role: 'user', content: message.content }] : []
  const type = message.failed ? ('error-text' as const) : ('text' as const)
  const output = { type, value: message.content }
  const toolCallId = callIdFor(provider, message.callId)
  const result = { type: 'tool-result' as const, toolCallId, toolName: message.name, output }
  return [{ role: 'tool', content: [result] }]
}

/**
 * The history in the SDK's form: system messages first, as one text, since not every provider accepts them later; the
 * model's turns as the provider made them, or rebuilt from text and tool calls for another provider.
 */
export const toPrompt = (messages: readonly ModelMessage[], provider: Provider) => {
  const instructions = messages.flatMap((m) => (m.role === 'system' ? [m.content] : [])).join('\n\n')
  return {
    ...(instructions === '' ? {} : { instructions }),
    messages: messages.flatMap((message) => toSdk(message, provider)),
  }
}
