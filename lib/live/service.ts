import type { Principal } from '../core/principal.ts'
import { timeOfId, ulidTime } from '../core/ulid.ts'
import { isTooLate } from '../core/wrong-clock.ts'
import type { Feed, FeedEntry } from '../feed/feed.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { LiveWatch } from '../ports/live.ts'
import { KEEP_MS, LIVE_STREAM, WATCH_MS } from './watch.ts'

const LONGEST_MS = 600_000
/** In a function, which does not learn that its reader left. */
export const LONGEST_IN_FUNCTION_MS = 120_000
const RENEW_MS = WATCH_MS / 2
/** The largest delay between an id that another process made and its entry. */
const CLOCKS_DIFFER_MS = 1_000
const ID = /^evt_[0-9A-HJKMNP-TV-Z]{26}(\.\d{3})?$/

/** An event for a reader; `id` is for `Last-Event-ID`. */
export type LiveEvent = { id: string; type: string; data: object; timestamp: number }

type Needs = {
  feed: Pick<Feed, 'follow'>
  liveWatch: Pick<LiveWatch, 'extend'>
  clock: Clock
  ids: Ids
  /** When a stream ends, so that its reader is authenticated again. */
  longestMs?: number
}

export type Live = ReturnType<typeof createLive>

/** Streams changes to readers: one stream for all, from which each user gets the events of that user's audience. */
export const createLive = ({ feed, liveWatch, clock, ids, longestMs = LONGEST_MS }: Needs) => {
  const ends = new Set<() => void>()

  /**
   * Whether all events after an id were published and are still stored. New ids sort below one of a clock that ran ahead, so
   * its reader would get none of them.
   */
  const isReplayable = (after: string, since: number): boolean => {
    const time = ID.test(after) ? timeOfId(after) : 0
    return time >= since && time > clock.now() - KEEP_MS && !isTooLate(time, clock.now())
  }

  async function* events(principal: Principal, after: string, since: number, signal: AbortSignal) {
    let place = after
    if (!isReplayable(after, since)) {
      const now = clock.now()
      place = `evt_${ulidTime(now - CLOCKS_DIFFER_MS)}`
      yield { id: ids.next('evt'), type: after === '' ? 'ready' : 'reset', data: {}, timestamp: now }
    }
    const range = { after: place, reader: principal.userId }
    // Stored under a clock ahead, it sorts above all new entries and expires late: each reader would get it again.
    for await (const entry of feed.follow(LIVE_STREAM, range, signal))
      if (!isTooLate(Date.parse(entry.at), clock.now())) yield toLiveEvent(entry)
  }

  /** Renews the mark until the signal aborts. A failed renewal ends the stream, and its reader reconnects. */
  const renew = (signal: AbortSignal, end: () => void) => {
    const cancel = clock.after(RENEW_MS, () => {
      liveWatch.extend().then(() => signal.aborted || renew(signal, end), end)
    })
    signal.addEventListener('abort', cancel)
  }

  return {
    /** The events after an id, and new ones; `ready` comes first without an id, `reset` when events are lost. */
    async follow(principal: Principal, after: string, gone: AbortSignal): Promise<AsyncIterable<LiveEvent>> {
      const ended = new AbortController()
      const end = () => {
        ends.delete(end)
        ended.abort()
      }
      ends.add(end)
      const signal = AbortSignal.any([gone, ended.signal])
      signal.addEventListener('abort', end)
      try {
        const since = await liveWatch.extend()
        const cancel = clock.after(longestMs, end)
        signal.addEventListener('abort', cancel)
        if (!signal.aborted) renew(signal, end)
        return ending(events(principal, after, since, signal), end)
      } catch (thrown) {
        end()
        throw thrown
      }
    },
    /** Ends all streams of this process: their readers reconnect to another one. */
    endAll: (): void => {
      for (const end of [...ends]) end()
    },
  }
}

const toLiveEvent = ({ id, type, data, at }: FeedEntry): LiveEvent => ({
  id,
  type,
  data,
  timestamp: Date.parse(at),
})

async function* ending(events: AsyncIterable<LiveEvent>, end: () => void): AsyncGenerator<LiveEvent, void> {
  try {
    yield* events
  } finally {
    end()
  }
}
