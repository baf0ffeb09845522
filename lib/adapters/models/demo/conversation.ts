/** A chat-completions request, as far as the demo model looks at it. */
type WireMessage = {
  role: string
  content?: string | null | readonly { type: string; text?: string }[]
  tool_calls?: readonly { id: string; function: { name: string; arguments: string } }[]
  tool_call_id?: string
}
export type WireRequest = {
  model?: string
  messages: readonly WireMessage[]
  tools?: readonly { function: { name: string } }[]
  stream?: boolean
  stream_options?: { include_usage?: boolean }
}

/** A tool that was called since the last prompt, and the beginning of what it answered. */
export type Done = { name: string; arguments: string; answer: string }

/** Where the conversation stands. */
export type Progress = { prompt: string; done: readonly Done[]; tools: ReadonlySet<string>; turn: number }

const textOf = ({ content }: WireMessage): string =>
  typeof content === 'string' ? content : (content ?? []).map(({ text }) => text ?? '').join('')

/** Reads what was asked last and what was done about it since; the conversation is the demo model's only memory. */
export const progressOf = ({ messages, tools = [] }: WireRequest): Progress => {
  const asked = messages.findLastIndex(({ role }) => role === 'user')
  const since = messages.slice(asked + 1)
  const answers = new Map(since.map((message) => [message.tool_call_id, textOf(message)]))
  const done = since
    .flatMap((message) => message.tool_calls ?? [])
    .map(({ id, function: call }) => ({ ...call, answer: answers.get(id) ?? '' }))
  const prompt = messages[asked]
  return {
    prompt: prompt ? textOf(prompt) : '',
    done,
    tools: new Set(tools.map((tool) => tool.function.name)),
    turn: messages.length,
  }
}
