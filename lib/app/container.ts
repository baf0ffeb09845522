import type { Server } from 'node:http'
import { createLog } from '../adapters/node/log.ts'
import { environmentSecrets, readSome } from '../config.ts'
import { messageOf } from '../core/errors.ts'
import { createMasker } from '../core/masker.ts'
import type { Log } from '../ports/log.ts'

/**
 * The log of a program of the container. Settings that cannot be read are reported by the function that answers, so that a level that
 * is none keeps no program from listening.
 */
export const openContainerLog = (): Log => {
  const masker = createMasker(environmentSecrets())
  try {
    return createLog({ level: readSome(['LOG_LEVEL']).LOG_LEVEL, masker })
  } catch {
    return createLog({ level: 'info', masker })
  }
}

/** Listens where PORT and HOST say, which is all that has to be right for that; a process without listens nowhere, and ends. */
export const listenInContainer = (server: Server, log: Log): void => {
  try {
    const { PORT, HOST } = readSome(['PORT', 'HOST'])
    server.listen(PORT, HOST)
  } catch (thrown) {
    log.error({ reason: messageOf(thrown) }, 'there is nowhere to listen')
    process.exitCode = 1
  }
}
