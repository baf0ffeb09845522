import { setTimeout as sleep } from 'node:timers/promises'
import { lastLoggedError } from './log.ts'

const PATIENCE_MS = 60_000

/** Resolves when the condition holds; storage, queues and emulators need real time. */
export const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
  const giveUpAt = performance.now() + PATIENCE_MS
  while (!(await holds())) {
    if (performance.now() > giveUpAt) throw new Error(`Waited in vain for ${holds}${lastLoggedError()}`)
    await sleep(1)
  }
}
