import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Loopback = Awaited<ReturnType<typeof onLoopback>>

/**
 * Makes a server listen on a free port of loopback. `stop`, which may be called again, resolves when every connection is
 * closed.
 */
export const onLoopback = async (server: Server) => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { port, url: `http://127.0.0.1:${port}`, stop }
}
