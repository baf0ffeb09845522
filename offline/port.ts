import { once } from 'node:events'
import { createServer } from 'node:net'
import type { Config } from '../lib/config.ts'

/** Throws what the system says when the port cannot be listened on, before anything else is started for it. */
export const refuseTakenPort = async ({ HOST, PORT }: Config): Promise<void> => {
  if (PORT === 0) return
  const server = createServer().listen(PORT, HOST)
  await once(server, 'listening')
  await new Promise((resolve) => server.close(resolve))
}
