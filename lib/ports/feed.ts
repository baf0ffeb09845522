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
