import type { Clock } from '../ports/clock.ts'
import { Reply } from './route.ts'

/** A proxy or browser gives up a connection on which nothing is said for longer. */
const SILENCE_MS = 15_000

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  // nginx buffers answers otherwise.
  'x-accel-buffering': 'no',
}

/** One server-sent event (WHATWG HTML, section 9.2): its data as JSON, its name, and the id for `Last-Event-ID`. */
export const eventText = (data: object, { name, id }: { name?: string; id?: string } = {}): string =>
  `${id === undefined ? '' : `id: ${id}\n`}${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`

/** An answer of server-sent events; a piece has one or more of them. */
export const eventStream = (clock: Clock, events: AsyncIterable<string>) =>
  new Reply({ raw: keptOpen(events, clock) }, { headers: HEADERS })

/** Texts as they come, and a comment every 15 s of silence. Does not wait for `given` once its reader has left. */
async function* keptOpen(given: AsyncIterable<string>, clock: Clock): AsyncGenerator<string, void> {
  const iterator = given[Symbol.asyncIterator]()
  try {
    for (let next = iterator.next(); ; ) {
      const { promise: silence, resolve } = Promise.withResolvers<'silence'>()
      const cancel = clock.after(SILENCE_MS, () => resolve('silence'))
      const first = await Promise.race([next, silence]).finally(cancel)
      if (first === 'silence') yield ': still here\n\n'
      else if (first.done) return
      else {
        yield first.value
        next = iterator.next()
      }
    }
  } finally {
    // A generator that waits for its next event returns after that.
    iterator.return?.()?.catch(() => undefined)
  }
}
