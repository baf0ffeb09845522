import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** What is in flight may end for this long; running work has the same time, and has it at the same time. */
const DRAIN_MS = 5_000
const LOOK_EVERY_MS = 20

/**
 * How to end a server in order: it takes no more connections, gives the requests in flight their answers, and closes
 * each connection as soon as nothing is asked on it. What has not ended within 5 s is cut. Resolves when all are closed.
 */
export const createDrain = (server: Server): (() => Promise<void>) => {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })

  let silent = new Set<Socket>()

  /**
   * Node counts a connection as busy until its first request has ended, even if that never began. Of one that was new at
   * the look before, the request may have come and not been read yet, so it takes two looks.
   */
  const closeUnused = () => {
    server.closeIdleConnections()
    const unused = [...sockets].filter(({ bytesRead }) => bytesRead === 0)
    for (const socket of unused) if (silent.has(socket)) socket.destroy()
    silent = new Set(unused)
  }

  return async () => {
    const closed = new Promise<void>((resolve) => void server.close(() => resolve()))
    // Who still asks on a connection that was kept is to open another one, elsewhere, for the next request.
    server.prependListener('request', (_request, response) => void response.setHeader('connection', 'close'))
    const looking = setInterval(closeUnused, LOOK_EVERY_MS)
    const cutting = setTimeout(() => server.closeAllConnections(), DRAIN_MS)
    await closed
    clearInterval(looking)
    clearTimeout(cutting)
  }
}
