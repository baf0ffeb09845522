import { collection } from '../core/collection.ts'

/** The stream of the feed that live readers follow. */
export const LIVE_STREAM = 'live'
/** For how long an entry can be replayed. */
export const KEEP_MS = 300_000
/** For how long the mark of a connected reader lasts, unless it is renewed. */
export const WATCH_MS = 30_000

/** Readers are connected until `until`; `since` is when the stream last had a gap. Both are epoch milliseconds. There is one row. */
export type LiveWatchRow = { id: typeof LIVE_STREAM; since: number; until: number; version: number }

export const liveWatches = collection<LiveWatchRow>({ name: 'liveWatches', key: 'id', indexes: {} })
