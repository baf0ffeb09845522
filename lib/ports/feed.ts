/**
 * An entry to append. Without an `audience` all readers get it. `data` is plain JSON. The writer of a stream may number its
 * entries itself: each of them then has an `id` of digits and hyphens, of which each sorts above all that were appended before.
 * Such a stream has one writer at a time, and an append that is repeated adds nothing.
 */
export type FeedDraft = {
  readonly type: string
  readonly data?: object
  readonly audience?: string
  readonly id?: string
}

/**
 * `ttlMs` lets the entries expire so long after they were appended; without it they stay. `id` is one that `Ids` has just
 * made of the kind `evt`; it makes the append repeatable, and becomes the id of the first entry.
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
 * Which entries of a stream: those above the id `after`, or all. An id that the stream does not have is a place as good as
 * any. A `reader` (a user id) gets the entries without an audience and those whose `audience` it is; without a reader, all come.
 */
export type FeedPlace = { readonly after?: string; readonly reader?: string }
type FeedRange = FeedPlace & { readonly limit?: number }

/**
 * Streams of events that are read again and followed: the progress of a task, an agentic session, what a page watches live.
 * The ids of one process grow in the order of its appends. Between processes the order is that of their clocks. Errors of
 * the medium reject with Problem `unavailable`.
 */
export interface Feed {
  /**
   * Resolves to the entries when they cannot be lost any more. They stay together, in their order: no other entry of the
   * stream comes between them. An append that is repeated with its `id` adds nothing, and answers the entries that are
   * there. After `unavailable` the outcome is unknown. Throws Problem `too_large` for more than 1,000 entries or 256 kB.
   */
  append(stream: string, drafts: readonly FeedDraft[], options?: FeedAppend): Promise<readonly FeedEntry[]>
  /** The entries that are there, by id; without a `limit` all of them. */
  read(stream: string, range?: FeedRange): Promise<readonly FeedEntry[]>
  /** The newest entry, by id; undefined where there is none. Costs the same however long the stream is. */
  last(stream: string): Promise<FeedEntry | undefined>
  /**
   * The entries above an id, those that are there and then those that come, each once, until the signal aborts: then it ends
   * without an error. What this process appends is seen at once, what another one appends within two seconds. They come by
   * id, with one exception: an entry that becomes visible after one above it (two processes append at the same moment, or
   * one has a clock that is behind) comes when it is found.
   */
  follow(stream: string, place: FeedPlace, signal: AbortSignal): AsyncIterable<FeedEntry>
  /**
   * Removes the oldest appends of a stream that has ended, at most so many; resolves to how many these were: fewer than
   * that when nothing is left. What a follower has not been given by then, it misses.
   */
  remove(stream: string, mostAppends: number): Promise<number>
}
