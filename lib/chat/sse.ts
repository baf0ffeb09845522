import type { Clock } from '../ports/clock.ts'

/** A connection on which nothing is said for longer is given up by what stands between. */
const SILENCE_MS = 15_000

/** One event of server-sent events: its data as JSON, under a name where it has one. */
export const eventText = (data: object, event?: string): string =>
  `${event === undefined ? '' : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`

/** Texts as they come, and a comment every 15 s of silence. Does not wait for `given` once its reader has left. */
export async function* keptOpen(given: AsyncIterable<string>, clock: Clock): AsyncGenerator<string, void> {
  const iterator = given[Symbol.asyncIterator]()
  try {
    let next = iterator.next()
    for (;;) {
      const { promise: silence, resolve } = Promise.withResolvers<'silence'>()
      const cancel = clock.after(SILENCE_MS, () => resolve('silence'))
      const first = await Promise.race([next, silence]).finally(cancel)
      if (first === 'silence') {
        yield ': still here\n\n'
        continue
      }
      if (first.done) return
      yield first.value
      next = iterator.next()
    }
  } finally {
    // A generator that waits for its model returns after that, which its signal has ended.
    iterator.return?.()?.catch(() => undefined)
  }
}
