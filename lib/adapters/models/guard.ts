/** Makes a call of a provider under its circuit breaker, or refuses it at once. */
export type Guard = <T>(provider: string, call: () => Promise<T>) => Promise<T>

/** The reader disconnected: neither a success nor a fault of the provider. */
const readerLeft = () => new DOMException('The reader left', 'AbortError')

/** Runs a whole stream as one call of a guard, which ends as the stream does. A guard that refuses never opens it. */
export async function* guardedStream<T>(
  guard: Guard | undefined,
  provider: string,
  open: () => AsyncIterable<T>,
): AsyncGenerator<T> {
  if (!guard) return yield* open()
  const admitted = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<void>()
  const call = guard(provider, () => {
    admitted.resolve()
    return ended.promise
  })
  call.catch(() => undefined)
  await Promise.race([admitted.promise, call])
  try {
    yield* open()
    ended.resolve()
  } catch (thrown) {
    ended.reject(thrown)
    throw thrown
  } finally {
    ended.reject(readerLeft())
  }
}
