import * as path from 'node:path'
import { openRunner } from '../lib/app/runner/runner.ts'
import { complain } from '../lib/app/start-up.ts'
import { readConfig } from '../lib/config/config.ts'
import { errorMessage, Problem } from '../lib/core/errors.ts'
import type { RunnerSettings } from '../lib/runners/schema.ts'

/** The worker of a service as a program of its own: `agent-tasks runner`. Resolves to its exit code at its end. */
export const startRunner = async (settings: RunnerSettings): Promise<number> => {
  let isEnding = false
  try {
    const runner = await openRunner(readConfig(), { ...settings, folder: path.resolve(settings.folder) })
    // Timers of the clock keep no process alive.
    const awake = setInterval(() => undefined, 1_000)
    let closing: Promise<void> | undefined
    const end = () => {
      isEnding = true
      closing ??= runner.close()
    }
    process.on('SIGTERM', end)
    process.on('SIGINT', end)
    try {
      await runner.run()
    } finally {
      end()
      await closing
      clearInterval(awake)
    }
    return 0
  } catch (thrown) {
    if (isEnding && !(thrown instanceof Problem)) return 0
    complain(thrown instanceof Problem ? thrown.message : `The runner ended: ${errorMessage(thrown)}`)
    return 1
  }
}
