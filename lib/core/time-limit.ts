import { Problem } from './errors.ts'
import { durationText } from './time.ts'

type Clock = { after(delayMs: number, call: () => void): () => void }

/** Aborts after `mostMs` with Problem `unavailable` `timeout`, with `outer`, or by `stop`. */
export const timeLimit = (clock: Clock, mostMs: number, outer?: AbortSignal) => {
  const controller = new AbortController()
  const cancel = clock.after(mostMs, () => {
    const message = `The model did not finish within ${durationText(mostMs)}`
    controller.abort(new Problem('unavailable', 'timeout', message))
  })
  const { signal } = controller
  return {
    signal: outer ? AbortSignal.any([signal, outer]) : signal,
    stop: (reason: unknown) => controller.abort(reason),
    [Symbol.dispose]: cancel,
  }
}
