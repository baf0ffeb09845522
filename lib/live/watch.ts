import { collection } from '../core/collection.ts'
import { Problem } from '../core/errors.ts'
import type { Clock } from '../ports/clock.ts'
import type { LiveWatch } from '../ports/live.ts'
import type { Store } from '../ports/store.ts'

export const LIVE_STREAM = 'live'
/** How long an entry can be replayed. */
export const KEEP_MS = 300_000
/** How long the mark of a connected reader lasts without a renewal. */
export const WATCH_MS = 30_000

/** Readers are connected until `until`; `since` is the end of the last gap. Epoch milliseconds, in one row. */
type LiveWatchRow = { id: typeof LIVE_STREAM; since: number; until: number; version: number }

export const liveWatches = collection<LiveWatchRow>({ name: 'liveWatches', key: 'id', indexes: {} })

const TRIES = 10

/** The watch of a process that publishes its own commits: nothing was published before its start. */
export const createLocalWatch = (
  clock: Pick<Clock, 'now'>,
): LiveWatch & { readonly isWatchedNow: boolean } => {
  let since = 0
  let until = 0
  const isWatchedNow = () => clock.now() < until
  return {
    async extend() {
      if (!isWatchedNow()) since = clock.now()
      until = clock.now() + WATCH_MS
      return since
    },
    isWatched: async () => isWatchedNow(),
    get isWatchedNow() {
      return isWatchedNow()
    },
  }
}

/** The watch of many processes. The absence of readers is read for each batch, since a new reader relies on it. */
export const createStoredWatch = ({
  store,
  clock,
}: {
  store: Pick<Store, 'get' | 'commit'>
  clock: Pick<Clock, 'now'>
}): LiveWatch => {
  let knownUntil = 0

  const mark = async (): Promise<LiveWatchRow | undefined> => {
    const now = clock.now()
    const row = await store.get(liveWatches, LIVE_STREAM)
    const until = now + WATCH_MS
    if (row === undefined) {
      const first = { id: LIVE_STREAM, since: now, until, version: 1 } as const
      return (await store.commit({ insert: liveWatches, row: first })).applied ? first : undefined
    }
    const { version } = row
    const set = { until, version: version + 1, ...(row.until <= now ? { since: now } : {}) }
    const outcome = await store.commit({ update: liveWatches, key: LIVE_STREAM, when: { version }, set })
    return outcome.applied ? outcome.row : undefined
  }

  return {
    async extend() {
      for (let tries = 0; tries < TRIES; tries += 1) {
        const row = await mark()
        if (row !== undefined) return row.since
      }
      throw new Problem('unavailable', 'busy', 'Too many readers began at once. Try again.')
    },
    async isWatched() {
      if (clock.now() < knownUntil) return true
      knownUntil = (await store.get(liveWatches, LIVE_STREAM))?.until ?? 0
      return clock.now() < knownUntil
    },
  }
}
