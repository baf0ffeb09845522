import { createLog, turnOutput } from '../../lib/adapters/node/log.ts'
import { createMasker } from '../../lib/core/masker.ts'

const [, , end = '', where] = process.argv
const to = where === 'in a function' ? {} : { to: turnOutput() }
const log = createLog({ level: 'info', masker: createMasker([]), ...to })

/** How a process ends that has just logged. */
const ENDS: Record<string, () => unknown> = {
  'by itself': () => undefined,
  'process.exit': () => process.exit(0),
  'an uncaught exception': () => {
    throw new Error('uncaught')
  },
  'an unhandled rejection': () => Promise.reject(new Error('unhandled')),
  'a closed output': () => {
    process.exitCode = 7
  },
  SIGKILL: () => process.kill(process.pid, 'SIGKILL'),
}

log.info({}, 'an earlier turn')
setImmediate(() =>
  setImmediate(() => {
    log.info({}, 'the last turn')
    ENDS[end]?.()
  }),
)
