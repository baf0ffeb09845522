import { Problem } from '../../core/errors.ts'
import type { Clock } from '../../ports/clock.ts'
import { isTemporaryFault } from './failures.ts'

const LONGEST_WAIT_MS = 5_000
const FIRST_WAIT_MS = 250

/** The wait in milliseconds after try number `attempt`, from 1; undefined when no other try would help or may wait so long. */
export const retryDelayMs = (thrown: unknown, attempt: number): number | undefined => {
  if (!(thrown instanceof Problem)) return undefined
  const backoffMs = FIRST_WAIT_MS * 2 ** (attempt - 1)
  const isRateLimit = thrown.kind === 'rate_limited'
  if (!isRateLimit && !isTemporaryFault(thrown)) return undefined
  const { retryAfterMs } = thrown
  const waitMs = isRateLimit ? (retryAfterMs ?? 2 * backoffMs) : Math.max(backoffMs, retryAfterMs ?? 0)
  return waitMs <= LONGEST_WAIT_MS ? waitMs : undefined
}

type Policy = {
  clock: Clock
  /** The tries after the first. */
  retries: number
  signal: AbortSignal
  onRetry: (attempt: number, delayMs: number) => void
}

/** Opens a stream again after a failure before its first part: a reader never sees two beginnings. */
export async function* retriedStream<T>(policy: Policy, open: () => AsyncIterable<T>): AsyncGenerator<T> {
  const { clock, retries, signal, onRetry } = policy
  for (let attempt = 1; ; attempt += 1) {
    let isBegun = false
    try {
      for await (const part of open()) {
        isBegun = true
        yield part
      }
      return
    } catch (thrown) {
      const delayMs = isBegun || attempt > retries ? undefined : retryDelayMs(thrown, attempt)
      if (delayMs === undefined) throw thrown
      onRetry(attempt, delayMs)
      await pause(clock, delayMs, signal)
    }
  }
}

/** Resolves after `delayMs`; rejects with the signal's reason when it aborts. */
const pause = (clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const leave = () => {
      cancel()
      reject(signal.reason)
    }
    const cancel = clock.after(delayMs, () => {
      signal.removeEventListener('abort', leave)
      resolve()
    })
    if (signal.aborted) leave()
    else signal.addEventListener('abort', leave, { once: true })
  })
