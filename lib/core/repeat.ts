import { errorMessage } from './errors.ts'

type Needs = {
  clock: { after(delayMs: number, call: () => void): () => void }
  log: { warn(fields: object, message: string): void }
}

/**
 * Calls `work` after each wait until the returned function is called; a running call is then the last. A failed call is
 * logged as `failure`, and the next one comes in its time.
 */
export const repeat = (
  { clock, log }: Needs,
  everyMs: number,
  work: () => Promise<unknown>,
  failure: string,
): (() => void) => {
  let isEnded = false
  let cancel: () => void
  const call = async () => {
    try {
      await work()
    } catch (thrown) {
      log.warn({ reason: errorMessage(thrown) }, failure)
    }
    if (!isEnded) wait()
  }
  const wait = () => {
    cancel = clock.after(everyMs, () => void call())
  }
  wait()
  return () => {
    isEnded = true
    cancel()
  }
}
