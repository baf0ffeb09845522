import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Loopback = Awaited<ReturnType<typeof onLoopback>>

/**
 * Has a server listen on a free port of loopback. It has let go of every connection when `stop` resolves, which may be
 * called again.
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
