import type { LiveDraft } from '../core/collection.ts'
import { messageOf } from '../core/errors.ts'
import type { Clock } from '../ports/clock.ts'
import type { Feed } from '../ports/feed.ts'
import type { LivePublisher, LiveWatch } from '../ports/live.ts'
import type { Log } from '../ports/log.ts'
import { KEEP_MS, LIVE_STREAM } from './watch.ts'

/** The most events of one append: a page with more changes gets a `reset` instead. */
const MOST_DRAFTS = 200
/** Below the size limit of one append. */
const MOST_CHARACTERS = 200_000

/** The event after which readers load all data again, since they have missed changes. */
const RESET: LiveDraft = { type: 'reset', data: {} }

/**
 * Combines the events of many commits into one append: of each row only the last is left, and too many or too large ones
 * become one `reset`. A row that was created and then changed has one creation event with its present fields. Where there
 * is no room for progress it is left out: the next heartbeat of its task publishes it again.
 */
export const coalesced = (drafts: readonly LiveDraft[]): readonly LiveDraft[] => {
  const all = lastOfEach(drafts)
  const left = all.length > MOST_DRAFTS ? all.filter(({ type }) => type !== 'progress.updated') : all
  return left.length > MOST_DRAFTS || JSON.stringify(left).length > MOST_CHARACTERS ? [RESET] : left
}

const lastOfEach = (drafts: readonly LiveDraft[]): LiveDraft[] => {
  const last = new Map<string, LiveDraft>()
  for (const draft of drafts) {
    const [kind = ''] = draft.type.split('.')
    const { id } = draft.data as { id?: unknown }
    const key = `${kind} ${id} ${draft.audience ?? ''}`
    const isNew = last.get(key)?.type === `${kind}.created` && draft.type === `${kind}.updated`
    last.delete(key)
    last.set(key, isNew ? { ...draft, type: `${kind}.created` } : draft)
  }
  return [...last.values()]
}

/** Commits within this time are one append, so that a flood of changes costs a few writes a second. */
const WINDOW_MS = 100
/** The most events that wait for the end of the window; beyond it they are combined. */
const MOST_WAITING = 2_000

type Needs = { feed: Pick<Feed, 'append'> }

const append = (feed: Needs['feed'], drafts: readonly LiveDraft[]) =>
  feed.append(LIVE_STREAM, coalesced(drafts), { ttlMs: KEEP_MS })

/** Publishes the commits of this process, one window at a time. A failed append is logged, and readers get a `reset`. */
export const createLocalPublisher = (
  watch: { readonly isWatchedNow: boolean },
  { feed, clock, log }: Needs & { clock: Pick<Clock, 'after'>; log: Pick<Log, 'warn'> },
): LivePublisher => {
  let waiting: LiveDraft[] = []
  let isArmed = false

  const send = async () => {
    const drafts = waiting
    waiting = []
    isArmed = false
    try {
      await append(feed, drafts)
    } catch (thrown) {
      log.warn({ reason: messageOf(thrown) }, 'live events could not be published')
      publish([RESET])
    }
  }
  const publish = (drafts: readonly LiveDraft[]) => {
    if (!watch.isWatchedNow) return
    if (waiting.length >= MOST_WAITING) waiting = [...coalesced(waiting)]
    waiting.push(...drafts)
    if (isArmed) return
    isArmed = true
    clock.after(WINDOW_MS, () => void send())
  }
  return {
    get isWatched() {
      return watch.isWatchedNow
    },
    publish,
  }
}

/**
 * Publishes the changes of a stream function's batch while a reader is connected. It never rejects: a failure would
 * repeat the batch and delay the task messages in it. A failed append is logged, and readers get a `reset` with the next
 * batch.
 */
export const createStreamPublisher = (
  watch: Pick<LiveWatch, 'isWatched'>,
  { feed, log }: Needs & { log: Pick<Log, 'warn'> },
) => {
  let hasGap = false
  return async (drafts: readonly LiveDraft[]): Promise<void> => {
    if (drafts.length === 0 && !hasGap) return
    try {
      if (await watch.isWatched()) await append(feed, hasGap ? [RESET] : drafts)
      hasGap = false
    } catch (thrown) {
      log.warn({ reason: messageOf(thrown) }, 'live events could not be published')
      hasGap = true
    }
  }
}
