import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { onLoopback } from '../../offline/loopback.ts'

export type Received = { path: string; headers: IncomingMessage['headers']; body: string }
export type Answering = (response: ServerResponse, received: Received) => void

/** A server on loopback that keeps what it hears and answers as it is told; `connections` counts who came at all. */
export const startReceiver = async (answer: Answering = (response) => response.end('ok')) => {
  const heard: Received[] = []
  const seen = { connections: 0, answer }
  const server = createServer(async (request, response) => {
    const { url = '', headers } = request
    const received = { path: url, headers, body: await text(request).catch(() => '') }
    heard.push(received)
    seen.answer(response, received)
  })
  server.on('connection', () => {
    seen.connections += 1
  })
  const { port, url, stop } = await onLoopback(server)
  return Object.assign(seen, { port, url: `${url}/hook`, heard, [Symbol.asyncDispose]: stop })
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>
