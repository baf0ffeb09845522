import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

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
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return Object.assign(seen, {
    port,
    url: `http://127.0.0.1:${port}/hook`,
    heard,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  })
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>
