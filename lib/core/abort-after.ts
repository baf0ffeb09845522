import { durationText } from './duration.ts'
import { Problem } from './errors.ts'

type Timer = { after(delayMs: number, call: () => void): () => void }

/**
 * Returns a signal that aborts after `mostMs` with Problem `unavailable` `timeout`; it never aborts for Infinity. The
 * caller disposes of it when the work is done.
 */
export const abortAfter = (timer: Timer, mostMs: number) => {
  const controller = new AbortController()
  const late = () =>
    controller.abort(
      new Problem('unavailable', 'timeout', `There was no answer within ${durationText(mostMs)}`),
    )
  const cancel = Number.isFinite(mostMs) ? timer.after(Math.max(0, mostMs), late) : () => undefined
  return { signal: controller.signal, [Symbol.dispose]: () => void cancel() }
}
