import type { Clock } from '../ports/clock.ts'

// Less than the worker gives an agent: the result of a stopped call is told before its run is over.
const GRACE_MS = 1_000

/**
 * Settles as `work` does; once the signal has aborted, throws its reason instead. `work` then has a second to stop
 * and is no longer waited for after that: a deaf tool must not hold a run.
 */
export const untilAborted = async <Value>(
  clock: Clock,
  work: Promise<Value>,
  signal: AbortSignal,
): Promise<Value> => {
  const late = Promise.withResolvers<never>()
  let forget: (() => void) | undefined
  const onAbort = () => {
    forget = clock.after(GRACE_MS, () => late.reject(signal.reason))
  }
  if (signal.aborted) onAbort()
  else signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([work, late.promise])
  } finally {
    signal.removeEventListener('abort', onAbort)
    forget?.()
    signal.throwIfAborted()
  }
}
