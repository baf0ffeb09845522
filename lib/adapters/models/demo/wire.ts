import type { Act, Progress } from './script.ts'

/** The fields of a chat-completions request that the demo model reads. */
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

const textOf = ({ content }: WireMessage): string =>
  typeof content === 'string' ? content : (content ?? []).map(({ text }) => text ?? '').join('')

/** Reads the last prompt and the tool calls since; the conversation is the demo model's only memory. */
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

type Spoken = Extract<Act, { do: 'answer' | 'call' }>
type Reply = { act: Spoken; thought: string; request: WireRequest }

const tokens = (text: string): number => Math.ceil(text.length / 4)

/** Counts four characters as a token: an estimate, but a constant one. */
const usageOf = ({ act, thought, request }: Reply) => {
  const prompt_tokens = tokens(JSON.stringify([request.messages, request.tools ?? []]))
  const called = act.do === 'call' ? act.name + act.arguments : ''
  const completion_tokens = tokens(thought + act.text + called)
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens }
}

const envelope = ({ request }: Reply, object: string) => ({
  id: `chatcmpl-demo-${request.messages.length}`,
  object,
  created: 0,
  model: 'demo',
})

// The length of the conversation makes the id unique in it.
const callOf = ({ act, request }: Reply) =>
  act.do === 'call'
    ? [
        {
          id: `call_demo_${request.messages.length}`,
          type: 'function',
          function: { name: act.name, arguments: act.arguments },
        },
      ]
    : []

const finishOf = ({ act }: Reply) => (act.do === 'call' ? 'tool_calls' : 'stop')

/** The whole answer. */
export const completion = (reply: Reply) => {
  const calls = callOf(reply)
  const message = {
    role: 'assistant',
    content: reply.act.text,
    ...(reply.thought === '' ? {} : { reasoning_content: reply.thought }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  }
  const choices = [{ index: 0, message, finish_reason: finishOf(reply) }]
  return { ...envelope(reply, 'chat.completion'), choices, usage: usageOf(reply) }
}

/** The answer as chunks: role, thought, text word by word, the tool call, the end, and usage on request. */
export const chunks = (reply: Reply): object[] => {
  const head = envelope(reply, 'chat.completion.chunk')
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    ...head,
    choices: [{ index: 0, delta, finish_reason }],
  })
  const words = reply.act.text.match(/\s*\S+/g) ?? []
  const calls = callOf(reply).map((call, index) => ({ index, ...call }))
  const usage = { ...head, choices: [], usage: usageOf(reply) }
  return [
    chunk({ role: 'assistant', content: '' }),
    ...(reply.thought === '' ? [] : [chunk({ reasoning_content: reply.thought })]),
    ...words.map((content) => chunk({ content })),
    ...(calls.length === 0 ? [] : [chunk({ tool_calls: calls })]),
    chunk({}, finishOf(reply)),
    ...(reply.request.stream_options?.include_usage ? [usage] : []),
  ]
}
