import { once } from 'node:events'
import { createServer } from 'node:net'
import type { Config } from '../lib/config/config.ts'

/** Throws the system's error when the port is not free, before anything else starts. */
export const refuseTakenPort = async ({ HOST, PORT }: Config): Promise<void> => {
  if (PORT === 0) return
  const server = createServer().listen(PORT, HOST)
  await once(server, 'listening')
  await new Promise((resolve) => server.close(resolve))
}
