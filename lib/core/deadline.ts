import { Problem } from './errors.ts'
import { durationText } from './time.ts'

type Timer = { after(delayMs: number, call: () => void): () => void }

/** A signal that aborts after `mostMs` with Problem `unavailable` `timeout`; dispose of it when the work is done. */
export const abortAfter = (timer: Timer, mostMs: number) => {
  const controller = new AbortController()
  const late = () =>
    controller.abort(new Problem('unavailable', 'timeout', `No response within ${durationText(mostMs)}`))
  const cancel = Number.isFinite(mostMs) ? timer.after(Math.max(0, mostMs), late) : () => undefined
  return { signal: controller.signal, [Symbol.dispose]: () => void cancel() }
}

/** The outcome of `call`, also of a synchronous one, or the error that `late` makes when it takes longer than `mostMs`. */
export const within = <T>(
  timer: Timer,
  mostMs: number,
  call: () => T | Promise<T>,
  late: () => Error,
): Promise<T> =>
  new Promise((resolve, reject) => {
    const cancel = timer.after(mostMs, () => reject(late()))
    Promise.resolve().then(call).then(resolve, reject).finally(cancel)
  })

/** Yields the items of an iterable. Throws the error of `late` when the last has not come after `mostMs`. */
export async function* beforeDeadline<T>(
  items: AsyncIterable<T>,
  mostMs: number,
  timer: Timer,
  late: () => Error,
): AsyncGenerator<T, void> {
  const iterator = items[Symbol.asyncIterator]()
  const { promise: expired, reject } = Promise.withResolvers<never>()
  expired.catch(() => undefined)
  const cancel = timer.after(mostMs, () => reject(late()))
  try {
    for (;;) {
      const next = await Promise.race([iterator.next(), expired])
      if (next.done) return
      yield next.value
    }
  } finally {
    cancel()
    // Not awaited: a generator that waits for its next piece returns after that.
    iterator.return?.().catch(() => undefined)
  }
}
