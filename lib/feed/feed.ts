import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { cutText } from '../core/cut-text.ts'
import { Problem } from '../core/errors.ts'
import { createKeyedMutex } from '../core/keyed-mutex.ts'
import { iso } from '../core/time.ts'
import { ulidTime } from '../core/ulid.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { Page, Store } from '../ports/store.ts'
import { entryId, type FeedBatch, feedEntries, firstId, MOST_IN_BATCH, type StoredEntry } from './rows.ts'
import { createTails, type Look } from './tail.ts'

/**
 * An entry to append. Without an `audience` all readers get it. `data` is plain JSON. The writer of a stream may number
 * its entries: each then has an `id` of digits and hyphens that sorts above all earlier ones. Such a stream has one
 * writer at a time, and a repeated append adds nothing.
 */
export type FeedDraft = {
  readonly type: string
  readonly data?: object
  readonly audience?: string
  readonly id?: string
}

/**
 * `ttlMs` makes the entries expire that long after the append; without it they stay. `id` is a new id of the kind `evt`.
 * It makes the append repeatable, and is the id of the first entry.
 */
type FeedAppend = { readonly id?: string; readonly ttlMs?: number }

/** An entry of a stream. `id` is its place in the stream (an event id for SSE); `at` is the ISO time of the append. */
export type FeedEntry = {
  readonly id: string
  readonly type: string
  readonly at: string
  readonly data: object
}

/**
 * A selection of a stream's entries: those above the id `after`, or all. The stream need not have that id. A `reader` (a
 * user id) gets the entries without an audience and those for that user; without a reader, all are selected.
 */
export type FeedPlace = { readonly after?: string; readonly reader?: string }
type FeedRange = FeedPlace & { readonly limit?: number }

/**
 * Streams of events that readers replay and follow: progress of a task, an agentic session, live events of the page. The
 * ids of one process grow in the order of its appends. Between processes the order follows their clocks. Errors of the
 * medium reject with Problem `unavailable`.
 */
export interface Feed {
  /**
   * Resolves to the entries when they are durable. They stay together in their order: no other entry of the stream comes
   * between them. A repeated append with the same `id` adds nothing and answers the stored entries. After `unavailable`
   * the outcome is unknown. Throws Problem `too_large` for more than 1,000 entries or 256 kB.
   */
  append(stream: string, drafts: readonly FeedDraft[], options?: FeedAppend): Promise<readonly FeedEntry[]>
  /** The stored entries, by id; without a `limit` all of them. */
  read(stream: string, range?: FeedRange): Promise<readonly FeedEntry[]>
  /** Whether an append of a single entry with this id is stored. */
  has(stream: string, id: string): Promise<boolean>
  /** The newest entry, by id; undefined for an empty stream. The cost does not depend on the length of the stream. */
  last(stream: string): Promise<FeedEntry | undefined>
  /**
   * Yields the entries above an id, first the stored and then the new ones, each once, until the signal aborts; then it
   * ends without an error. It sees entries of this process at once, and those of another process within two seconds. The
   * order is by id, with one exception: an entry that becomes visible after a higher one (two processes append at the
   * same moment, or one has a slow clock) comes when it is found.
   */
  follow(stream: string, place: FeedPlace, signal: AbortSignal): AsyncIterable<FeedEntry>
  /**
   * Removes up to `mostAppends` of the oldest appends of a stream that has ended; resolves to the number removed, which
   * is lower when nothing is left. Followers miss entries that they had not received.
   */
  remove(stream: string, mostAppends: number): Promise<number>
}

const KIND = 'evt'
const GIVEN_ID = /^evt_[0-9A-Z]{26}$/
/** Sorts below every id of the kind, so it counts as settled: the one writer appends in order. */
const NUMBERED_ID = /^\d[\d-]{0,62}$/
/** Longer than any id. An id above a longer text is above its beginning too, and DynamoDB limits keys to 1 kB. */
const LONGEST_PLACE = 64
/** An item of DynamoDB has at most 400 kB, and some characters take more bytes there than in JSON. */
const MOST_BYTES = 256 * 1024
const ROWS_OF_A_PAGE = 64
/** DynamoDB charges by the kilobyte: below this length compression saves nothing. */
const SHORT = 800

/** The time limit of a write; a later one is reported as `unavailable`. */
const APPEND_MS = 6_000
/** The largest difference between the clocks of two machines. */
const SKEW_MS = 2_000
/** The age of an id after which no earlier entry becomes visible: all processes see the entry by then. */
const SETTLED_MS = APPEND_MS + SKEW_MS

const outcomeUnknown = () =>
  new Problem(
    'unavailable',
    'storage_unavailable',
    'Storage is unavailable: the outcome of a write is not known.',
  )

type Needs = { store: Pick<Store, 'commit' | 'get' | 'page'>; clock: Clock; ids: Ids }

/**
 * Streams as rows of a collection, with one row per append. Followers only read the table, one page at a time, so that a
 * slow one holds no more than that. They read when this process has appended, and on a timer for other processes.
 *
 * An id contains the start time of its append, and rows become visible in any order. So each timed look begins below the
 * follower's place, at the ids that were not settled at the last look; delivered rows are known by their ids.
 */
export const createFeed = ({ store, clock, ids }: Needs): Feed => {
  const inTurn = createKeyedMutex()

  const readPage = (stream: string, place: string, limit = ROWS_OF_A_PAGE): Promise<Page<FeedBatch>> =>
    store.page(feedEntries, {
      index: 'ofStream',
      is: stream,
      order: 'asc',
      limit,
      ...(place === '' ? {} : { after: { by: place, key: place } }),
    })
  const tails = createTails({ clock, readPage })

  const written = async (row: FeedBatch): Promise<FeedBatch> => {
    const { promise: late, reject } = Promise.withResolvers<never>()
    const cancel = clock.after(APPEND_MS, () => reject(outcomeUnknown()))
    try {
      const outcome = await Promise.race([store.commit({ insert: feedEntries, row }), late])
      // An existing row is this one: the append was repeated.
      return outcome.row ?? row
    } finally {
      cancel()
    }
  }

  return {
    async append(stream, drafts, { id, ttlMs } = {}) {
      if (id !== undefined && !GIVEN_ID.test(id)) throw new TypeError(`"${id}" is no id of an entry`)
      if (drafts.length === 0) return []
      refuseTooLarge(drafts)
      const numberedId = lastNumber(drafts)
      // In sequence, so that the rows of this process become visible in the order of their ids.
      return inTurn(stream, async () => {
        const now = clock.now()
        const row = await written({
          stream,
          id: numberedId ?? entryId(id ?? ids.next(KIND), drafts.length - 1),
          at: iso(now),
          entries: deflated(
            drafts.map(({ type, data, audience, id }) => ({
              type,
              ...(data && { data }),
              ...(audience !== undefined && { audience }),
              ...(id !== undefined && { id }),
            })),
          ),
          ...(ttlMs !== undefined && { expiresAt: now + ttlMs }),
        })
        tails.appended(stream)
        return [...visibleEntries(row)]
      })
    },

    async read(stream, { limit = Number.POSITIVE_INFINITY, ...range } = {}) {
      const entries: FeedEntry[] = []
      const most = Math.min(ROWS_OF_A_PAGE, limit)
      for await (const row of rowsAbove(startPlace(range), (place) => readPage(stream, place, most)))
        for (const entry of visibleEntries(row, range)) if (entries.push(entry) >= limit) return entries
      return entries
    },

    has: async (stream, id) => (await store.get(feedEntries, [stream, id])) !== undefined,

    async last(stream) {
      const { rows } = await store.page(feedEntries, {
        index: 'ofStream',
        is: stream,
        order: 'desc',
        limit: 1,
      })
      return rows[0] && [...visibleEntries(rows[0])].at(-1)
    },

    async *follow(stream, range, signal) {
      if (signal.aborted) return
      using tail = tails.enter(stream)
      const place = createPlace(startPlace(range))
      let why: 'polled' | 'appended' = 'polled'
      while (!signal.aborted) {
        const look = tail.beginLook()
        for await (const row of rowsAbove(place.begin(look, why), (from) => tail.read(from, signal))) {
          if (!place.pass(row)) continue
          yield* untilAborted(visibleEntries(row, range), signal)
        }
        place.end()
        why = await tail.wake(look, signal)
      }
    },

    async remove(stream, mostAppends) {
      let removed = 0
      while (removed < mostAppends) {
        const { rows, next } = await readPage(stream, '', Math.min(ROWS_OF_A_PAGE, mostAppends - removed))
        await Promise.all(rows.map(({ id }) => store.commit({ remove: feedEntries, key: [stream, id] })))
        removed += rows.length
        if (next === undefined) break
      }
      return removed
    },
  }
}

/** The place of a follower, and the delivered rows that may still get new ones below them. */
const createPlace = (start: string) => {
  let place = start
  let settled = start
  /** Delivered rows above `settled`, in the order of delivery. */
  const passed = new Set<string>()
  return {
    /** After an append of this process from the place, in a poll from the ids that were not settled at the last one. */
    begin({ polledAt }: Look, why: 'polled' | 'appended'): string {
      if (why === 'appended') return place
      const from = least(place, settled)
      settled = greatest(settled, `${KIND}_${ulidTime(polledAt - SETTLED_MS)}`)
      return from
    },
    /** False for a row that was delivered before. */
    pass({ id }: FeedBatch): boolean {
      if (passed.has(id)) return false
      if (id > settled) passed.add(id)
      place = greatest(place, id)
      return true
    },
    /** Drops ids that no later look reads; a row after an unsettled one is dropped later. */
    end(): void {
      for (const id of passed) {
        if (id > settled) return
        passed.delete(id)
      }
    },
  }
}

function* untilAborted<T>(items: Iterable<T>, signal: AbortSignal): Generator<T> {
  for (const one of items) {
    if (signal.aborted) return
    yield one
  }
}

/** The rows of all pages above a place; ends early when a read is aborted. */
async function* rowsAbove(
  start: string,
  read: (place: string) => Promise<Page<FeedBatch> | undefined>,
): AsyncGenerator<Readonly<FeedBatch>> {
  for (let place: string | undefined = start; place !== undefined; ) {
    const page: Page<FeedBatch> | undefined = await read(place)
    yield* page?.rows ?? []
    place = page?.next?.key
  }
}

const refuseTooLarge = (drafts: readonly object[]): void => {
  if (drafts.length > MOST_IN_BATCH || Buffer.byteLength(JSON.stringify(drafts)) > MOST_BYTES)
    throw new Problem(
      'too_large',
      'feed_batch_too_large',
      `One append takes at most ${MOST_IN_BATCH} entries and ${MOST_BYTES / 1024} kB`,
    )
}

/** The number of the last entry. Throws TypeError when only some have one, or one is malformed. */
const lastNumber = (drafts: readonly FeedDraft[]): string | undefined => {
  const numbers = drafts.flatMap(({ id }) => id ?? [])
  if (numbers.length === 0) return undefined
  const isNumbered = numbers.length === drafts.length && numbers.every((id) => NUMBERED_ID.test(id))
  if (!isNumbered) throw new TypeError('the entries of an append are not all numbered')
  return numbers.at(-1)
}

const least = (a: string, b: string): string => (a < b ? a : b)
const greatest = (a: string, b: string): string => (a > b ? a : b)

const startPlace = ({ after = '' }: FeedPlace): string => cutText(after, LONGEST_PLACE)

const deflated = (entries: readonly StoredEntry[]): FeedBatch['entries'] => {
  const text = JSON.stringify(entries)
  if (text.length <= SHORT) return entries
  const short = deflateRawSync(text).toString('base64')
  return short.length < text.length ? short : entries
}

const inflated = (entries: FeedBatch['entries']): readonly StoredEntry[] =>
  typeof entries === 'string'
    ? JSON.parse(inflateRawSync(Buffer.from(entries, 'base64')).toString())
    : entries

/** The entries of a row above a place that this reader may see. */
function* visibleEntries(
  row: Readonly<FeedBatch>,
  { after = '', reader }: FeedPlace = {},
): Generator<FeedEntry> {
  const first = firstId(row)
  for (const [number, entry] of inflated(row.entries).entries()) {
    const { type, data = {}, audience, id = entryId(first, number) } = entry
    if (id > after && (reader === undefined || audience === undefined || audience === reader))
      yield { id, type, at: row.at, data }
  }
}
