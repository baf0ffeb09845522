import { collection } from '../core/collection.ts'
import { Problem } from '../core/errors.ts'
import { createVersionedRow } from '../core/versioned-row.ts'
import type { Clock } from '../ports/clock.ts'
import type { LiveWatch } from '../ports/live.ts'

export const LIVE_STREAM = 'live'
/** How long an entry can be replayed. */
export const KEEP_MS = 300_000
/** How long the mark of a connected reader lasts without a renewal. */
export const WATCH_MS = 30_000

/** Readers are connected until `until`; `since` is the end of the last gap. Epoch milliseconds, in one row. */
type LiveWatchRow = { id: typeof LIVE_STREAM; since: number; until: number; version: number }

export const liveWatches = collection<LiveWatchRow>({ name: 'liveWatches', key: 'id', indexes: {} })

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
export const createStoredWatch = (
  needs: Parameters<typeof createVersionedRow<LiveWatchRow>>[0] & { clock: Clock },
): LiveWatch => {
  const { clock } = needs
  const mark = createVersionedRow<LiveWatchRow>(needs, {
    of: liveWatches,
    first: { id: LIVE_STREAM, since: 0, until: 0, version: 0 },
    busy,
  })
  const isWatchedNow = () => clock.now() < mark.row().until

  return {
    async extend() {
      const { since } = await mark.change(({ until }) => {
        const now = clock.now()
        return { set: { until: now + WATCH_MS, ...(until <= now && { since: now }) } }
      })
      return since
    },
    async isWatched() {
      if (!isWatchedNow()) await mark.load()
      return isWatchedNow()
    },
  }
}

const busy = () => new Problem('unavailable', 'busy', 'Too many streams were opened at once. Try again.')
