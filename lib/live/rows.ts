import { collection } from '../core/collection.ts'

/** The stream of the feed that live readers follow. */
export const LIVE_STREAM = 'live'
/** For how long an entry can be replayed. */
export const KEEP_MS = 300_000
/** For how long a mark that somebody watches lasts, unless it is renewed. */
export const WATCH_MS = 30_000

/** That somebody watches, until `until`, and since when there was no gap; both are epoch milliseconds. There is one row. */
export type LiveWatchRow = { id: typeof LIVE_STREAM; since: number; until: number; version: number }

export const liveWatches = collection<LiveWatchRow>({ name: 'liveWatches', key: 'id', indexes: {} })
