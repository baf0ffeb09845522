import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { nextAct, readDirectives } from './script.ts'
import { chunks, completion, progressOf, type WireRequest } from './wire.ts'

const BODY_LIMIT = 8 * 1024 * 1024
const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '::1', 'localhost'])

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
export const startDemoModel = async ({ host = '127.0.0.1', port = 0 } = {}): Promise<DemoModel> => {
  if (!LOOPBACK.has(host)) throw new Error(`The demo model listens on loopback only, not on ${host}`)
  const server = createServer((req, res) => {
    answer(req, res).catch(() => res.destroy())
  })
  server.listen(port, host)
  await once(server, 'listening')
  const { address, family, port: bound } = server.address() as AddressInfo
  return {
    baseUrl: `http://${family === 'IPv6' ? `[${address}]` : address}:${bound}/v1`,
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
  await complete(request, res)
}

const readRequest = async (req: IncomingMessage): Promise<WireRequest | undefined> => {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of req) {
    size += part.length
    if (size > BODY_LIMIT) return undefined
    parts.push(part)
  }
  try {
    const body: unknown = JSON.parse(Buffer.concat(parts).toString())
    const messages = (body as Partial<WireRequest> | null)?.messages
    const readable = Array.isArray(messages) && messages.every((m) => typeof m === 'object' && m !== null)
    return readable ? (body as WireRequest) : undefined
  } catch {
    return undefined
  }
}

const complete = async (request: WireRequest, res: ServerResponse): Promise<void> => {
  const progress = progressOf(request)
  const { slowMs, thought } = readDirectives(progress.prompt)
  const act = nextAct(progress)
  const gone = new AbortController()
  res.on('close', () => gone.abort())
  if (act.do === 'fail') {
    await wait(slowMs, undefined, { signal: gone.signal })
    return refuse(res, act.status, `the prompt orders status ${act.status}`)
  }
  const spoken =
    act.do === 'cut' ? { do: 'answer' as const, text: 'The demo model cuts this answer off.' } : act
  const reply = { act: spoken, thought, request }
  if (request.stream)
    return stream(res, chunks(reply), { slowMs, cut: act.do === 'cut', signal: gone.signal })
  await wait(slowMs, undefined, { signal: gone.signal })
  if (act.do === 'cut') res.destroy()
  else json(res, 200, completion(reply))
}

type Pace = { slowMs: number; cut: boolean; signal: AbortSignal }

const stream = async (res: ServerResponse, all: object[], { slowMs, cut, signal }: Pace): Promise<void> => {
  const begun = cut ? all.slice(0, Math.ceil(all.length / 2)) : all
  res.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
  for (const chunk of begun) {
    if (slowMs > 0) await wait(slowMs / all.length, undefined, { signal })
    await new Promise<unknown>((sent) => res.write(`data: ${JSON.stringify(chunk)}\n\n`, sent))
  }
  if (cut) res.destroy()
  else res.end('data: [DONE]\n\n')
}
