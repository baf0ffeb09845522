import type { LiveDraft } from '../core/collection.ts'
import { errorMessage } from '../core/errors.ts'
import type { Feed } from '../feed/feed.ts'
import type { Clock } from '../ports/clock.ts'
import type { LivePublisher, LiveWatch } from '../ports/live.ts'
import type { Log } from '../ports/log.ts'
import { KEEP_MS, LIVE_STREAM } from './watch.ts'

/** The most events of one append: a page with more changes gets a `reset` instead. */
const MOST_DRAFTS = 200
/** Below the size limit of one append. */
const MOST_CHARACTERS = 200_000

/** The event after which readers load all data again, since they have missed changes. */
const RESET: LiveDraft = { type: 'reset', data: {} }

/** Combines events of many commits: of each row the last is left, and too many become one `reset`. */
export const coalesced = (drafts: readonly LiveDraft[]): readonly LiveDraft[] => {
  const last = new Map<string, LiveDraft>()
  for (const draft of drafts) {
    const [kind = ''] = draft.type.split('.')
    const { id } = draft.data as { id?: unknown }
    const key = `${kind} ${id} ${draft.audience ?? ''}`
    const isNew = last.get(key)?.type === `${kind}.created` && draft.type === `${kind}.updated`
    last.delete(key)
    last.set(key, isNew ? { ...draft, type: `${kind}.created` } : draft)
    if (last.size > MOST_DRAFTS) return [RESET]
  }
  const left = [...last.values()]
  return JSON.stringify(left).length > MOST_CHARACTERS ? [RESET] : left
}

/** Commits within this time are one append, so that a flood of changes costs a few writes a second. */
const WINDOW_MS = 100
/** The most events that wait for the end of the window; beyond it readers load all data again. */
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
      log.warn({ reason: errorMessage(thrown) }, 'live events could not be published')
      publish([RESET])
    }
  }
  const publish = (drafts: readonly LiveDraft[]) => {
    if (!watch.isWatchedNow) return
    if (waiting.length < MOST_WAITING) waiting.push(...drafts)
    else waiting = [RESET]
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

const PROGRESS_EVERY_MS = 1_000

/** Publishes that a task's log has new messages, at most once a second. Call it when a message is stored. */
export const createProgressPublisher = ({
  publish,
  clock,
}: {
  publish: (drafts: readonly LiveDraft[]) => unknown
  clock: Pick<Clock, 'after'>
}) => {
  /** The tasks of the last second, and whether they had messages since their event. */
  const recent = new Map<string, boolean>()
  const send = (taskId: string) => {
    recent.set(taskId, false)
    publish([{ type: 'progress.updated', data: { id: taskId } }])
    clock.after(PROGRESS_EVERY_MS, () => {
      const hasMore = recent.get(taskId)
      recent.delete(taskId)
      if (hasMore) send(taskId)
    })
  }
  return (taskId: string): void => {
    if (recent.has(taskId)) recent.set(taskId, true)
    else send(taskId)
  }
}

/**
 * Publishes the changes of a stream function's batch. It never rejects: a failure would repeat the batch and delay its
 * task messages. After a failed append, which is logged, the next batch is a `reset`.
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
      log.warn({ reason: errorMessage(thrown) }, 'live events could not be published')
      hasGap = true
    }
  }
}
