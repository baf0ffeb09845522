import type { CallUsage } from '../../../core/token-usage.ts'

/** The wire of a provider's API: Anthropic's Messages, OpenAI's Chat Completions and Responses, Google's Gemini. */
export type Wire = 'messages' | 'chat' | 'responses' | 'gemini'

export type Metered = { model?: string | undefined; usage?: CallUsage | undefined }

type Fields = { readonly [field: string]: unknown }
const fields = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {}
const count = (value: unknown): number => (Number.isFinite(value) && Number(value) > 0 ? Number(value) : 0)
const nonEmptyText = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

type Read = (event: Fields, before: CallUsage | undefined) => Metered

/** https://docs.anthropic.com/en/api/messages: `input_tokens` is without the cached ones. Later events have totals. */
const readMessages: Read = (event, before) => {
  const message = event.type === 'message_start' ? fields(event.message) : event
  const counts = fields(message.usage)
  if (message.usage === undefined) return { model: nonEmptyText(message.model) }
  const latest = (name: string, earlier = 0) => (counts[name] === undefined ? earlier : count(counts[name]))
  return {
    model: nonEmptyText(message.model),
    usage: {
      input: latest('input_tokens', before?.input),
      cachedInput: latest('cache_read_input_tokens', before?.cachedInput),
      cacheWrites: latest('cache_creation_input_tokens', before?.cacheWrites),
      output: latest('output_tokens', before?.output),
      reasoning: 0,
    },
  }
}

type Names = { input: string; output: string }

/** Both of OpenAI's APIs count the cached tokens in the input, and the reasoning in the output. */
const openAiUsage = (counts: Fields, { input, output }: Names): CallUsage => {
  const cachedInput = count(fields(counts[`${input}_details`]).cached_tokens)
  const reasoning = count(fields(counts[`${output}_details`]).reasoning_tokens)
  return {
    input: Math.max(0, count(counts[input]) - cachedInput),
    cachedInput,
    cacheWrites: 0,
    output: Math.max(0, count(counts[output]) - reasoning),
    reasoning,
  }
}

/** https://platform.openai.com/docs/api-reference/chat: in a stream the last chunk has the usage, if it was asked for. */
const readChat: Read = ({ model, usage }) => ({
  model: nonEmptyText(model),
  ...(usage
    ? { usage: openAiUsage(fields(usage), { input: 'prompt_tokens', output: 'completion_tokens' }) }
    : {}),
})

/** https://platform.openai.com/docs/api-reference/responses: an answer, or an event with one. */
const readResponses: Read = (event) => {
  const { model, usage } = fields(event.response ?? event)
  const names = { input: 'input_tokens', output: 'output_tokens' }
  return { model: nonEmptyText(model), ...(usage ? { usage: openAiUsage(fields(usage), names) } : {}) }
}

/** https://ai.google.dev/api/generate-content#UsageMetadata: the prompt has the cached tokens in it; thoughts are apart. */
const readGemini: Read = ({ modelVersion, usageMetadata }) => {
  if (usageMetadata === undefined) return { model: nonEmptyText(modelVersion) }
  const counts = fields(usageMetadata)
  const cachedInput = count(counts.cachedContentTokenCount)
  return {
    model: nonEmptyText(modelVersion),
    usage: {
      input: Math.max(0, count(counts.promptTokenCount) - cachedInput),
      cachedInput,
      cacheWrites: 0,
      output: count(counts.candidatesTokenCount),
      reasoning: count(counts.thoughtsTokenCount),
    },
  }
}

/** How an event of each wire is read, and the end of a field’s name that each event with usage has. */
const wires: Readonly<Record<Wire, { read: Read; mark: string }>> = {
  messages: { read: readMessages, mark: '_tokens"' },
  chat: { read: readChat, mark: '_tokens"' },
  responses: { read: readResponses, mark: '_tokens"' },
  gemini: { read: readGemini, mark: 'TokenCount"' },
}

/** A longer line of a stream, or a longer whole answer, is passed on and not read. */
const LONGEST_READ = 8 * 1_024 * 1_024
const LINE_FEED = 0x0a

/**
 * Reads the usage of an answer that goes by, whole or as server-sent events. `add` takes the bytes as they come, and keeps
 * one line of a stream, or a whole answer, within 8 MiB.
 */
export const createUsageReader = (wire: Wire, contentType = '') => {
  const { mark, read: readEvent } = wires[wire]
  const isStream = contentType.startsWith('text/event-stream')
  let found: Metered = {}
  let parts: Buffer[] = []
  let length = 0

  const read = (text: string) => {
    try {
      const event: unknown = JSON.parse(text)
      for (const each of Array.isArray(event) ? event : [event]) {
        const { model, usage } = readEvent(fields(each), found.usage)
        found = { model: model ?? found.model, usage: usage ?? found.usage }
      }
    } catch {
      // No JSON, as `[DONE]`: what the provider and the agent make of it is theirs.
    }
  }

  const keep = (part: Buffer) => {
    length += part.length
    if (length <= LONGEST_READ) parts.push(part)
    else parts = []
  }

  const takeKept = (): string => {
    const text = length <= LONGEST_READ ? Buffer.concat(parts).toString('utf8') : ''
    parts = []
    length = 0
    return text
  }

  // Most events are a few words of the answer: once the model is known, only those with usage are parsed.
  const mayTell = (line: string) => found.model === undefined || line.includes(mark)

  const readLine = () => {
    const line = takeKept()
    if (line.startsWith('data:') && mayTell(line)) read(line.slice(5))
  }

  /** The beginning of the next line that has to be read, or of the last one, which may not be whole. */
  const nextLine = (bytes: Buffer, from: number): number => {
    if (found.model === undefined) return from
    const marked = bytes.indexOf(mark, from)
    return Math.max(from, bytes.lastIndexOf(LINE_FEED, marked < 0 ? undefined : marked) + 1)
  }

  const addLines = (bytes: Buffer) => {
    let from = 0
    for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, from)) {
      keep(bytes.subarray(from, at))
      readLine()
      from = nextLine(bytes, at + 1)
    }
    keep(bytes.subarray(from))
  }

  return {
    add: isStream ? addLines : keep,
    /** What was read so far. */
    found: (): Metered => found,
    /** What was read, once all bytes were added. Without `usage` the provider gave none. */
    end: (): Metered => {
      if (isStream) readLine()
      else read(takeKept())
      return found
    },
  }
}
