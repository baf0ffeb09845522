type Timer = { after(delayMs: number, call: () => void): () => void }

/**
 * What an iterable yields, as it comes. Throws what `late` makes once `mostMs` have passed and the last has not come; what
 * is still on its way is then waited for no longer.
 */
export async function* beforeDeadline<T>(
  given: AsyncIterable<T>,
  mostMs: number,
  timer: Timer,
  late: () => Error,
): AsyncGenerator<T, void> {
  const iterator = given[Symbol.asyncIterator]()
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
