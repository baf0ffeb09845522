import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** The time for requests in flight; running work has the same time in parallel. */
const DRAIN_MS = 5_000
const LOOK_EVERY_MS = 20

/**
 * Ends a server in order: it accepts no more connections, answers the requests in flight, and closes each connection as
 * soon as it is idle. After 5 s the rest is cut. Resolves when all are closed.
 */
export const createDrain = (server: Server): (() => Promise<void>) => {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })

  let silent = new Set<Socket>()

  /**
   * Node counts a connection as busy until its first request has ended, even if none has begun. A connection that was new
   * at the last check may have a request that is not read yet, so it takes two checks.
   */
  const closeUnused = () => {
    server.closeIdleConnections()
    const unused = [...sockets].filter(({ bytesRead }) => bytesRead === 0)
    for (const socket of unused) if (silent.has(socket)) socket.destroy()
    silent = new Set(unused)
  }

  return async () => {
    const closed = new Promise<void>((resolve) => void server.close(() => resolve()))
    // The next request of a kept connection must go to another process.
    server.prependListener('request', (_request, response) => void response.setHeader('connection', 'close'))
    const looking = setInterval(closeUnused, LOOK_EVERY_MS)
    const cutting = setTimeout(() => server.closeAllConnections(), DRAIN_MS)
    await closed
    clearInterval(looking)
    clearTimeout(cutting)
  }
}
