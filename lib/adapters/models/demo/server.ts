import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import * as z from 'zod'
import { readBounded } from '../../../core/bounded-body.ts'
import { type Act, nextAct, type Progress, readDirectives } from './script.ts'

const BODY_LIMIT = 8 * 1024 * 1024

export type DemoModel = { baseUrl: string; close(): Promise<void> }

/**
 * Starts the scripted demo model: an HTTP server on loopback that speaks the chat-completions wire protocol and is no
 * AI, as each of its answers says. Same conversation, same answer. Offered the workspace's tools it lists the files,
 * writes `demo-notes.md` and reads it back, then sums up; without tools it quotes the request.
 *
 * Lines of the last user message steer it. One order is carried out per step, in order, and a summary follows:
 * - `demo: tool <name> <json>`  calls the tool with exactly this text as its arguments (`{}` when left out)
 * - `demo: say <text>`          answers with the text, which ends the turn
 * - `demo: fail [status]`       answers HTTP 500, or this status
 * - `demo: cut`                 drops the connection in the middle of an answer
 *
 * Two hold for every answer to the message:
 * - `demo: slow <ms>`           spreads the answer over so many milliseconds; stops when the client leaves
 * - `demo: think <text>`        streams the text as reasoning first
 */
export const startDemoModel = async (): Promise<DemoModel> => {
  const server = createServer((req, res) => {
    answer(req, res).catch(() => res.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

const json = (res: ServerResponse, status: number, body: object): void => {
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

const refuse = (res: ServerResponse, status: number, message: string): void =>
  json(res, status, { error: { message: `Demo model: ${message}`, type: 'demo_error', code: null } })

const answer = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
  const route = `${req.method} ${req.url}`
  if (route === 'GET /v1/models')
    return json(res, 200, { object: 'list', data: [{ id: 'demo', object: 'model', owned_by: 'demo' }] })
  if (route !== 'POST /v1/chat/completions') return refuse(res, 404, `no ${route}`)
  const request = await readRequest(req)
  if (!request) return refuse(res, 400, 'the body is not a chat-completions request')
  await stream(request, res)
}

/** The fields of a chat-completions request that the demo model reads. */
const RequestSchema = z.object({
  messages: z.array(
    z.looseObject({
      role: z.string(),
      content: z.string().nullish(),
      tool_calls: z
        .array(z.object({ id: z.string(), function: z.object({ name: z.string(), arguments: z.string() }) }))
        .optional(),
      tool_call_id: z.string().optional(),
    }),
  ),
  tools: z.array(z.looseObject({ function: z.looseObject({ name: z.string() }) })).default([]),
})
type WireRequest = z.output<typeof RequestSchema>

const readRequest = async (req: IncomingMessage): Promise<WireRequest | undefined> => {
  const { bytes, truncated } = await readBounded(req, BODY_LIMIT)
  try {
    return truncated ? undefined : RequestSchema.safeParse(JSON.parse(bytes.toString())).data
  } catch {
    return undefined
  }
}

/** Reads the last prompt and the tool calls since; the conversation is the demo model's only memory. */
const readProgress = ({ messages, tools }: WireRequest): Progress => {
  const promptAt = messages.findLastIndex(({ role }) => role === 'user')
  const since = messages.slice(promptAt + 1)
  const answers = new Map(since.map(({ tool_call_id, content }) => [tool_call_id, content]))
  return {
    prompt: messages[promptAt]?.content ?? '',
    done: since
      .flatMap(({ tool_calls = [] }) => tool_calls)
      .map(({ id, function: call }) => ({ ...call, answer: answers.get(id) ?? '' })),
    tools: new Set(tools.map((tool) => tool.function.name)),
  }
}

const stream = async (request: WireRequest, res: ServerResponse): Promise<void> => {
  const progress = readProgress(request)
  const { slowMs, thought } = readDirectives(progress.prompt)
  const act = nextAct(progress)
  const gone = new AbortController()
  const { signal } = gone
  res.on('close', () => gone.abort())
  if (act.do === 'fail') {
    await wait(slowMs, undefined, { signal })
    return refuse(res, act.status, `the prompt orders status ${act.status}`)
  }
  const isCut = act.do === 'cut'
  const spoken = isCut ? { do: 'answer' as const, text: 'The demo model cuts this answer off.' } : act
  const all = chunks(spoken, thought, request)
  res.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
  for (const chunk of isCut ? all.slice(0, Math.ceil(all.length / 2)) : all) {
    if (slowMs > 0) await wait(slowMs / all.length, undefined, { signal })
    await new Promise<unknown>((sent) => res.write(`data: ${JSON.stringify(chunk)}\n\n`, sent))
  }
  if (isCut) res.destroy()
  else res.end('data: [DONE]\n\n')
}

/** An estimate, but a constant one. */
const countTokens = (text: string): number => Math.ceil(text.length / 4)

/** The answer as chunks: role, thought, text word by word, the tool call, the end, and usage. */
const chunks = (
  act: Extract<Act, { do: 'answer' | 'call' }>,
  thought: string,
  { messages, tools }: WireRequest,
): object[] => {
  const chunk = (choices: object[], more = {}) => ({
    id: `chatcmpl-demo-${messages.length}`,
    object: 'chat.completion.chunk',
    created: 0,
    model: 'demo',
    choices,
    ...more,
  })
  const part = (delta: object, finish_reason: string | null = null) =>
    chunk([{ index: 0, delta, finish_reason }])
  const called = act.do === 'call' ? { name: act.name, arguments: act.arguments } : undefined
  // The length of the conversation makes the id unique in it.
  const call = { index: 0, id: `call_demo_${messages.length}`, type: 'function', function: called }
  const prompt_tokens = countTokens(JSON.stringify([messages, tools]))
  const completion_tokens = countTokens(thought + act.text + (called ? called.name + called.arguments : ''))
  const total_tokens = prompt_tokens + completion_tokens
  return [
    part({ role: 'assistant', content: '' }),
    ...(thought === '' ? [] : [part({ reasoning_content: thought })]),
    ...(act.text.match(/\s*\S+/g) ?? []).map((content) => part({ content })),
    ...(called ? [part({ tool_calls: [call] })] : []),
    part({}, called ? 'tool_calls' : 'stop'),
    chunk([], { usage: { prompt_tokens, completion_tokens, total_tokens } }),
  ]
}
