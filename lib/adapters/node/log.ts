import { type DestinationStream, destination, pino } from 'pino'
import type { Masker } from '../../core/masker.ts'
import type { Log } from '../../ports/log.ts'
import { currentInvocation } from './current-invocation.ts'

/** The least severe level that is written. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent'

type Settings = { level: LogLevel; masker: Masker; to?: DestinationStream }

const STDOUT = 1

/**
 * JSON lines on standard output, where platforms read logs; some treat standard error as failures. Each line is written
 * in the call: a frozen Lambda or a killed process loses none.
 */
export const createLog = ({ level, masker, to = destination({ dest: STDOUT, sync: true }) }: Settings): Log =>
  pino(
    {
      level,
      base: null,
      mixin: currentInvocation,
      mixinMergeStrategy: (given, ids) => ({ ...ids, ...given }),
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      // Errors are plain objects here, and their causes must not be merged into their messages.
      serializers: { err: (error: unknown) => error },
      formatters: { level: (label) => ({ level: label }) },
      hooks: {
        // Runs only for events that are written, so a masked debug line costs nothing at level info.
        logMethod([given, message], write) {
          const fields = masker.logValue(given)
          write.call(this, typeof fields === 'object' ? fields : { fields }, masker.logText(String(message)))
        },
      },
    },
    to,
  )
