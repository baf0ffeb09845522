import type { Clock } from '../ports/clock.ts'
import { Reply } from './route.ts'

/** An event of a stream: `data` goes out as JSON, `id` is what the browser sends back as `Last-Event-ID`. */
export type StreamedEvent = { readonly id?: string; readonly data: object }

/** Proxies close a connection that is silent for longer. */
const KEEP_ALIVE_MS = 15_000
const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  // nginx buffers answers otherwise.
  'x-accel-buffering': 'no',
}

/** An answer of server-sent events (WHATWG HTML, section 9.2). Each event is one frame; those of one piece go out together. */
export const eventStream = (clock: Clock, events: AsyncIterable<readonly StreamedEvent[]>) =>
  new Reply({ raw: frames(clock, events) }, { headers: HEADERS })

const frame = ({ id, data }: StreamedEvent): string =>
  `${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`

async function* frames(
  clock: Clock,
  events: AsyncIterable<readonly StreamedEvent[]>,
): AsyncGenerator<string> {
  const iterator = events[Symbol.asyncIterator]()
  try {
    for (let next = iterator.next(); ; ) {
      const got = await withinMs(clock, KEEP_ALIVE_MS, next)
      if (got === undefined) yield ': keep-alive\n\n'
      else if (got.done) return
      else {
        yield got.value.map(frame).join('')
        next = iterator.next()
      }
    }
  } finally {
    await iterator.return?.()
  }
}

/** What the promise resolves to, or undefined when that takes longer. */
const withinMs = async <T>(clock: Clock, ms: number, work: Promise<T>): Promise<T | undefined> => {
  const { promise: late, resolve } = Promise.withResolvers<undefined>()
  const cancel = clock.after(ms, () => resolve(undefined))
  try {
    return await Promise.race([work, late])
  } finally {
    cancel()
  }
}
