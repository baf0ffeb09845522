import { errorMessage } from '../core/errors.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'

type Needs = { clock: Clock; log: Log }

/** Calls `work` `everyMs` after the end of the last call; failures are logged. The returned function stops it. */
export const every = (
  { clock, log }: Needs,
  name: string,
  everyMs: number,
  work: () => Promise<unknown> | unknown,
) => {
  let cancel: () => void
  let stopped = false
  let current: Promise<void> = Promise.resolve()
  const call = async () => {
    try {
      await work()
    } catch (thrown) {
      log.warn({ job: name, reason: errorMessage(thrown) }, 'a recurring job failed')
    }
    if (!stopped) arm()
  }
  const arm = () => {
    cancel = clock.after(everyMs, () => {
      current = call()
    })
  }
  arm()
  return async (): Promise<void> => {
    stopped = true
    cancel()
    await current
  }
}
