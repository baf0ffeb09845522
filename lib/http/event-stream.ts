import { jsonText } from '../core/json.ts'
import { watchSilence } from '../core/silence.ts'
import type { Clock } from '../ports/clock.ts'
import { type Call, Reply } from './route.ts'

/** Proxies and browsers close a connection after a longer silence. */
const SILENCE_MS = 15_000

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  // Without it nginx buffers answers.
  'x-accel-buffering': 'no',
}

/** One server-sent event (WHATWG HTML, section 9.2): its data as JSON, its name, and the id for `Last-Event-ID`. */
export const eventText = (data: object, { name, id }: { name?: string; id?: string } = {}): string =>
  `${id === undefined ? '' : `id: ${id}\n`}${name === undefined ? '' : `event: ${name}\n`}data: ${jsonText(data)}\n\n`

const comment = () => ': still here\n\n'

/** An answer of server-sent events; each text has one or more. `heartbeat` makes what is sent every 15 s of silence. */
export const eventStream = (clock: Clock, texts: AsyncIterable<string>, heartbeat: () => string = comment) =>
  new Reply({ raw: keptOpen(texts, heartbeat, clock) }, { headers: HEADERS })

/** Yields texts as they come and heartbeats in silence. Does not wait for `given` after its reader has disconnected. */
async function* keptOpen(
  given: AsyncIterable<string>,
  heartbeat: () => string,
  clock: Clock,
): AsyncGenerator<string, void> {
  const iterator = given[Symbol.asyncIterator]()
  let settle: (first: 'silence') => void = () => undefined
  const silence = watchSilence(clock, SILENCE_MS, () => settle('silence'))
  try {
    for (let next = iterator.next(); ; ) {
      const first = await new Promise<IteratorResult<string> | 'silence'>((resolve, reject) => {
        settle = resolve
        next.then(resolve, reject)
      })
      if (first === 'silence') yield heartbeat()
      else if (first.done) return
      else {
        yield first.value
        silence.start()
        next = iterator.next()
      }
    }
  } finally {
    silence.end()
    // Not awaited: a generator that waits for its next event returns only after it.
    iterator.return?.()?.catch(() => undefined)
  }
}

/** The place of an open stream; `replaced` aborts when a newer stream of the user took it. */
type Place = { free: () => Promise<void>; replaced: AbortSignal }
/**
 * Takes one of the places for streams that a user may have open; `free` frees it, and repeats do nothing. When all are taken,
 * the oldest resumable stream is replaced: its signal aborts. A function in the cloud does not learn that its reader left, so
 * the oldest stream is the one that most likely has no reader. Throws Problem `rate_limited` `too_many_streams` when no
 * stream is resumable, or when as many replaced ones have not ended yet: so at most twice the number run at any time.
 */
export type OpenStreams = (userId: string, isResumable: boolean) => Promise<Place>

type Options<Piece> = {
  toText?: (piece: Piece) => string
  heartbeat?: () => string
  isResumable?: boolean
}

/** When `EventSource` comes back after its stream was replaced: at once it would replace another one. */
const BACK_MS = 30_000
const REPLACED = 'This stream was closed because you opened another one and reached your limit'

/** The last event of a stream that was replaced. It has no id: the reader comes back with the one before. */
const replacedText = (clock: Clock) =>
  `retry: ${BACK_MS}\n${eventText({ type: 'replaced', data: { message: REPLACED }, timestamp: clock.now() })}`

type Needs = { clock: Clock; openStreams: OpenStreams }

/** Answers of server-sent events, within the number that a user may have open. */
export const createOpenStream =
  ({ clock, openStreams }: Needs) =>
  async <Piece>(
    { principal, gone }: Pick<Call, 'principal' | 'gone'>,
    begin: (reader: AbortSignal) => Promise<AsyncIterable<Piece>>,
    { toText = String, heartbeat, isResumable = false }: Options<Piece> = {},
  ) => {
    const { free, replaced } = await openStreams(principal.userId, isResumable)
    const reader = AbortSignal.any([gone(), replaced])
    // A reader that left before the first piece is sent none, and may have left already.
    if (reader.aborted) void free()
    else reader.addEventListener('abort', () => void free(), { once: true })
    /** Frees the place at the end; a function may be frozen after that. */
    async function* texts(pieces: AsyncIterable<Piece>) {
      try {
        for await (const piece of pieces) yield toText(piece)
        if (replaced.aborted) yield replacedText(clock)
      } finally {
        await free()
      }
    }
    try {
      return eventStream(clock, texts(await begin(reader)), heartbeat)
    } catch (thrown) {
      await free()
      throw thrown
    }
  }
