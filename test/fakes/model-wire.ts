import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { onLoopback } from '../../offline/loopback.ts'

/** A request that the fake provider got; `closed` resolves when its connection is gone or its answer is out. */
export type Heard = {
  method: string
  path: string
  headers: IncomingMessage['headers']
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into bodies of several wires.
  body: any
  closed: Promise<void>
}

export type Reply = (res: ServerResponse, heard: Heard) => unknown
export type Wire = {
  origin: string
  heard: Heard[]
  /** The next answers, in order; the last one is repeated. */
  replies: Reply[]
  close(): Promise<void>
}

/** A provider on loopback that answers what the test tells it to. */
export const startWire = async (...replies: Reply[]): Promise<Wire> => {
  const heard: Heard[] = []
  const wire = { heard, replies }
  const server = createServer(async (req, res) => {
    const closed = new Promise<void>((resolve) => res.once('close', () => resolve()))
    const body = await text(req)
    const at = { method: req.method ?? '', path: req.url ?? '', headers: req.headers, closed }
    const request = { ...at, body: body === '' ? undefined : JSON.parse(body) }
    heard.push(request)
    const reply = wire.replies[heard.length - 1] ?? wire.replies.at(-1)
    await reply?.(res, request)
  })
  const { url, stop } = await onLoopback(server)
  return Object.assign(wire, { origin: url, close: stop })
}

/** Answers with a status, a JSON body and headers. */
export const status =
  (code: number, body: unknown, headers: Record<string, string> = {}): Reply =>
  (res) => {
    res.writeHead(code, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
  }

const frame = (event: unknown): string => {
  if (typeof event === 'string') return event
  const type = (event as { type?: string }).type
  return `${type ? `event: ${type}\n` : ''}data: ${JSON.stringify(event)}\n\n`
}

const begin = async (res: ServerResponse, events: readonly unknown[]) => {
  res.writeHead(200, { 'content-type': 'text/event-stream' })
  res.flushHeaders()
  for (const event of events) await new Promise((sent) => res.write(frame(event), sent))
}

/** Streams server-sent events and ends; a string goes out as it is. */
export const events =
  (...list: readonly unknown[]): Reply =>
  async (res) => {
    await begin(res, list)
    res.end()
  }

/** Streams events, then resets the connection. */
export const reset =
  (...list: readonly unknown[]): Reply =>
  async (res) => {
    await begin(res, list)
    res.destroy()
  }

/** Streams events, then says nothing more and keeps the connection. */
export const hang =
  (...list: readonly unknown[]): Reply =>
  (res) =>
    begin(res, list)

/** A chunk of the chat-completions wire. */
export const chunk = (delta: object, finish: string | null = null) => ({
  id: 'c1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta, finish_reason: finish }],
})
export const usage = (prompt_tokens: number, completion_tokens: number) => ({
  ...chunk({}),
  choices: [],
  usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens },
})
export const DONE = 'data: [DONE]\n\n'

/** A whole answer of text, in as many chunks as it is given in. */
export const saying = (...texts: readonly string[]): Reply =>
  events(
    chunk({ role: 'assistant', content: '' }),
    ...texts.map((content) => chunk({ content })),
    chunk({}, 'stop'),
    usage(1, 1),
    DONE,
  )

/** An answer that calls tools, all in one step; the ids of the calls are `call_<name>_<n>`. */
export const calling = (...calls: readonly (readonly [name: string, input: object])[]): Reply =>
  events(
    chunk({
      role: 'assistant',
      tool_calls: calls.map(([name, input], index) => ({
        index,
        id: `call_${name}_${index}`,
        type: 'function',
        function: { name, arguments: JSON.stringify(input) },
      })),
    }),
    chunk({}, 'tool_calls'),
    usage(1, 1),
    DONE,
  )
