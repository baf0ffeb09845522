import { repeat } from '../core/repeat.ts'
import { endsSession } from '../core/session-end.ts'
import type { FeedEntry } from '../feed/feed.ts'
import { type AgentSessionRow, afterAll, agentSessions, toStreamName } from './rows.ts'
import { type AgentSession, isOver, type SessionEvent } from './schema.ts'
import type { SessionRun } from './session-run.ts'
import { type RunNeeds, type SessionRuns, UNREADABLE, WATCH_MS } from './session-runs.ts'

type Needs = Pick<RunNeeds, 'store' | 'feed' | 'clock' | 'log'> & {
  runs: Pick<SessionRuns, 'find'>
  /** The session in the state of its task; undefined for one that does not exist. */
  read: (id: string) => Promise<AgentSession | undefined>
}

type Batches = AsyncGenerator<readonly SessionEvent[], void>

/** How long a mark of a reader in another process is valid, and how long before its end the mark is renewed. */
const FOLLOWED_MS = 30_000
const RENEWED_BEFORE_MS = 10_000
const READ_AT_ONCE = 500

/**
 * Follows the events of sessions: of one that runs in this process from memory, of any other from storage, where its
 * process stores them at the latest every 1.7 s while the session is marked as followed.
 */
export const createFollowing = (needs: Needs) => {
  const { store, feed, clock, runs, read } = needs

  const isSessionOver = async (id: string): Promise<boolean> => {
    const session = await read(id)
    return session === undefined || isOver(session.status)
  }

  const markFollowed = (id: string) =>
    store.commit<AgentSessionRow>({
      update: agentSessions,
      key: id,
      set: { followedUntil: clock.now() + FOLLOWED_MS },
    })

  async function* readStored(id: string, after: string): Batches {
    for (let place: string | undefined = after; place !== undefined; ) {
      const entries: readonly FeedEntry[] = await feed.read(toStreamName(id), {
        after: place,
        limit: READ_AT_ONCE,
      })
      yield entries.map(toSessionEvent)
      place = entries.length < READ_AT_ONCE ? undefined : entries.at(-1)?.id
    }
  }

  /** The stored events above an id of a session that runs or waits elsewhere, until it ends or runs here. */
  async function* followStored(id: string, after: string, signal: AbortSignal): Batches {
    const ended = new AbortController()
    let markedAt = Number.NEGATIVE_INFINITY
    const look = async () => {
      if (runs.find(id) || (await isSessionOver(id))) return ended.abort()
      if (clock.monotonic() - markedAt < FOLLOWED_MS - RENEWED_BEFORE_MS) return
      markedAt = clock.monotonic()
      await markFollowed(id)
    }
    const endLooks = repeat(needs, WATCH_MS, look, UNREADABLE)
    await look().catch(() => undefined)
    try {
      const either = AbortSignal.any([signal, ended.signal])
      for await (const entry of feed.follow(toStreamName(id), { after }, either))
        yield [toSessionEvent(entry)]
    } finally {
      endLooks()
    }
  }

  /** The events of a run in this process above an id: the stored ones, those in memory, and new ones. */
  async function* readLive(run: SessionRun, id: string, after: string, signal: AbortSignal): Batches {
    const { hasStored, unstored, reader, leave } = run.read()
    signal.addEventListener('abort', leave, { once: true })
    try {
      if (hasStored) yield* readStored(id, after)
      yield unstored
      for (let batch = await reader.next(); batch !== undefined; batch = await reader.next()) yield batch
    } finally {
      signal.removeEventListener('abort', leave)
      leave()
    }
  }

  /** The last event of a task's session when no run sent it: the worker died, or the task was waiting. */
  const missingEnd = async (id: string): Promise<SessionEvent[]> => {
    const { taskId, error, endedAt } = (await read(id)) ?? {}
    if (taskId === undefined || error === undefined || endedAt === undefined) return []
    const last = await feed.last(toStreamName(id))
    if (last === undefined || endsSession(toSessionEvent(last))) return []
    const lastRun = Number(last.id.split('-', 1)[0])
    return [{ id: afterAll(lastRun), type: 'error', data: error, timestamp: Date.parse(endedAt) }]
  }

  /** The events after an id, each once and in ascending order, until the session ends, over all runs in any process. */
  return async function* follow(id: string, after: string, signal: AbortSignal): Batches {
    let passed = after
    const unseen = async function* (batches: Batches | [readonly SessionEvent[]]) {
      for await (const batch of batches) {
        const events = batch.filter((event) => event.id > passed)
        passed = events.at(-1)?.id ?? passed
        if (events.length > 0) yield events
      }
    }
    do {
      const run = runs.find(id)
      yield* unseen(run ? readLive(run, id, passed, signal) : followStored(id, passed, signal))
      if (signal.aborted) return
      // A session stores all events before it ends.
      if (run === undefined) yield* unseen(readStored(id, passed))
    } while (runs.find(id) || !(await isSessionOver(id)))
    yield* unseen([await missingEnd(id)])
  }
}

const toSessionEvent = ({ id, type, data }: FeedEntry): SessionEvent => ({
  id,
  type,
  ...(data as Pick<SessionEvent, 'data' | 'timestamp'>),
})
