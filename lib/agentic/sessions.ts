import { definedFields } from '../core/defined-fields.ts'
import { errorMessage, missing, Problem } from '../core/errors.ts'
import type { Masker } from '../core/masker.ts'
import { type PageQuery, pageFacts, pageRange, pageTotal, rowPages } from '../core/page.ts'
import type { Principal } from '../core/principal.ts'
import { repeat } from '../core/repeat.ts'
import { endsSession } from '../core/session-end.ts'
import { iso } from '../core/time.ts'
import type { Feed, FeedEntry } from '../feed/feed.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { Log } from '../ports/log.ts'
import type { Page, Store } from '../ports/store.ts'
import type { Task } from '../tasks/schema.ts'
import { createLiveRun, type LiveRun } from './live.ts'
import {
  type AgentSessionRow,
  agentSessions,
  KEEP_MS,
  SESSIONS_MEMBER,
  sessionCounter,
  toStreamName,
} from './rows.ts'
import { type AgentSession, type EmitEvent, isOver, type SessionEvent, type SessionState } from './schema.ts'

type StopCode = 'CANCELLED' | 'ORPHANED' | 'TIMEOUT' | 'SHUTDOWN'
const TEXTS: Readonly<Record<StopCode, string>> = {
  CANCELLED: 'The session was cancelled.',
  ORPHANED: 'The session was stopped because its last reader left.',
  TIMEOUT: 'The session reached its time limit.',
  SHUTDOWN: 'The service is shutting down. Send the message again.',
}

export class SessionStopped extends Problem {
  constructor(code: StopCode) {
    super('unavailable', code, TEXTS[code])
  }
}

/** What a session shows of its task. */
export type TaskFacts = Pick<Task, 'id' | 'status' | 'createdBy' | 'completedAt' | 'error'>

type Needs = {
  store: Store
  feed: Feed
  clock: Clock
  ids: Ids
  log: Log
  masker: Masker
  timeoutMs: number
  orphanMs: number
  findTask: (taskId: string) => Promise<TaskFacts | undefined>
  cancelTask: (principal: Principal, taskId: string) => Promise<unknown>
  /** Throws Problem `missing` for a conversation that does not exist, or belongs to another user. */
  checkOwnConversation: (principal: Principal, conversationId: string) => Promise<void>
}

type Batches = AsyncGenerator<readonly SessionEvent[], void>
type Started = Pick<AgentSession, 'userId' | 'provider' | 'model'> & { conversationId: string }
type Listed = PageQuery & { taskId?: string | undefined; conversationId?: string | undefined }

/**
 * How often a running session checks whether another process asks for its cancellation, or follows it. A reader in
 * another process lags at most two seconds: two checks, and its own poll.
 */
const WATCH_MS = 850
/** Checks between two appends of a session that another process follows: each append costs money. */
const LOOKS_OF_APPEND = 2
const UNREADABLE = 'the state of an agent session could not be read'
/** How long a mark of a reader in another process is valid, and how long before its end the mark is renewed. */
const FOLLOWED_MS = 30_000
const RENEWED_BEFORE_MS = 10_000
const READ_AT_ONCE = 500
/** A session that runs this much longer than its time limit lost its process. */
const LEFT_MS = 60_000

const STATES_OF_TASKS: Readonly<Record<Task['status'], SessionState>> = {
  pending: 'queued',
  queued: 'queued',
  in_progress: 'running',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
}

const taskEnd = (task: TaskFacts | undefined): Pick<AgentSession, 'status' | 'endedAt' | 'error'> => {
  const status = task ? STATES_OF_TASKS[task.status] : 'failed'
  if (!isOver(status)) return { status }
  const { completedAt: endedAt, error } = task ?? {}
  const ending = { status, ...definedFields({ endedAt }) }
  if (status === 'cancelled')
    return { ...ending, error: { code: 'CANCELLED', message: 'The task was cancelled.' } }
  if (status !== 'failed' || !error) return ending
  return { ...ending, error: { code: error.code.toUpperCase(), message: error.message } }
}

const toSessionId = (taskId: string): string => `sess_${taskId.replace(/^task_/, '')}`

export type AgentSessions = ReturnType<typeof createAgentSessions>
/** A running session of a conversation, for the code that runs it. Its signal aborts with `SessionStopped`. */
export type OpenSession = Awaited<ReturnType<AgentSessions['open']>>
/** The part of a task's session that one run adds. A run without events stores nothing. */
export type TaskSessionRun = ReturnType<AgentSessions['openRun']>

/** Agent sessions: their rows, the runs in this process, and their events for readers in any process. */
export const createAgentSessions = (needs: Needs) => {
  const { store, feed, clock, ids, log, timeoutMs, orphanMs } = needs
  const { findTask, cancelTask, checkOwnConversation } = needs
  const live = new Map<string, { run: LiveRun; stop: (code: StopCode) => void }>()
  const running = new Set<Promise<void>>()

  const toSession = async ({
    expiresAt: _e,
    followedUntil: _f,
    cancelRequestedAt: _c,
    ...row
  }: AgentSessionRow) => {
    return row.taskId === undefined ? row : { ...row, ...taskEnd(await findTask(row.taskId)) }
  }

  /** The row of a session that this caller may see: sessions of tasks are visible to all users. */
  const load = async (principal: Principal, id: string): Promise<AgentSessionRow> => {
    const row = await store.get(agentSessions, id, true)
    if (row === undefined || (row.taskId === undefined && row.userId !== principal.userId))
      throw missing('Session')
    return row
  }

  const get = async (principal: Principal, id: string): Promise<AgentSession> =>
    toSession(await load(principal, id))

  const list = async (principal: Principal, query: Listed) => {
    const { taskId, conversationId } = query
    if (conversationId !== undefined) await checkOwnConversation(principal, conversationId)
    if (taskId !== undefined) {
      const row = await store.get(agentSessions, toSessionId(taskId))
      const rows = row === undefined ? [] : [row]
      return listed({ rows, next: undefined }, rows.length, query, '')
    }
    const { userId } = principal
    const scope = `agent-sessions:${JSON.stringify([userId, conversationId])}`
    const selection =
      conversationId === undefined
        ? { index: 'ofUser', is: userId }
        : { index: 'ofConversation', is: conversationId, where: [{ field: 'userId' as const, in: [userId] }] }
    const page = await store.page(agentSessions, {
      ...selection,
      order: 'desc',
      ...pageRange(query, scope),
    })
    const total =
      conversationId === undefined
        ? pageTotal(page, (await store.counters(sessionCounter(userId)))[SESSIONS_MEMBER]?.total, query)
        : await store.count(agentSessions, selection)
    return listed(page, total, query, scope)
  }

  const listed = async (page: Page<AgentSessionRow>, total: number, query: Listed, scope: string) => ({
    sessions: await Promise.all(page.rows.map(toSession)),
    ...pageFacts(page, total, query, scope),
  })

  const insert = (session: Omit<AgentSession, 'createdAt'>) => {
    const now = clock.now()
    const row: AgentSessionRow = { ...session, createdAt: iso(now), expiresAt: now + KEEP_MS }
    return store.commit<AgentSessionRow>({ insert: agentSessions, row })
  }

  /** The end of a session that still runs. */
  const endWrite = (key: string, set: Pick<AgentSession, 'status' | 'error'>) => ({
    update: agentSessions,
    key,
    when: { status: 'running' },
    set: { ...set, endedAt: iso(clock.now()) },
  })

  /**
   * Registers a run of this process. While the session is followed from another process, its events are stored at every
   * second look. The returned function ends the run when its events are stored.
   */
  const startRun = (
    id: string,
    run: LiveRun,
    stop: (code: StopCode) => void,
    onLook: (row: AgentSessionRow | undefined, isFollowed: boolean) => void = () => undefined,
  ) => {
    live.set(id, { run, stop })
    let looks = 0
    const look = async () => {
      const row = await store.get(agentSessions, id, true)
      const isFollowed = (row?.followedUntil ?? 0) > clock.now()
      onLook(row, isFollowed)
      looks += 1
      if (isFollowed && looks % LOOKS_OF_APPEND === 0) await run.flush()
    }
    const endLooks = repeat(needs, WATCH_MS, look, UNREADABLE)
    return async () => {
      endLooks()
      await run.close()
      if (live.get(id)?.run === run) live.delete(id)
    }
  }

  /**
   * Begins a session of a conversation. It stops at its time limit, when its last reader has disconnected, and when its
   * cancellation was requested.
   */
  const open = async ({ conversationId, userId, provider, model }: Started) => {
    const id = ids.next('sess')
    await insert({ id, status: 'running', conversationId, userId, provider, model })
    const run = createLiveRun(needs, id, 1)
    const controller = new AbortController()
    const stop = (code: StopCode) => controller.abort(new SessionStopped(code))
    const cancelTimeout = clock.after(timeoutMs, () => stop('TIMEOUT'))
    const close = startRun(id, run, stop, (row, isFollowed) => {
      if (row?.cancelRequestedAt !== undefined) stop('CANCELLED')
      const leftMs = clock.now() - Math.max(run.readerLeftAt, row?.followedUntil ?? 0)
      if (run.readers === 0 && !isFollowed && leftMs >= orphanMs) stop('ORPHANED')
    })
    const { promise: ended, resolve: resolveEnded } = Promise.withResolvers<void>()
    running.add(ended)
    return {
      id,
      signal: controller.signal,
      emit: run.emit,
      end: async (
        status: 'completed' | 'failed' | 'cancelled',
        error?: AgentSession['error'],
      ): Promise<void> => {
        cancelTimeout()
        await run.flush()
        try {
          await store.commit<AgentSessionRow>(endWrite(id, { status, ...definedFields({ error }) }))
        } finally {
          // If the end was not stored, the next tick finds the session as one without a process.
          await close()
          running.delete(ended)
          resolveEnded()
        }
      },
    }
  }

  /** The part of a task's session that a run adds; `run` is the fencing token, which grows with every run. */
  const openRun = (task: TaskFacts, run: number, target: Pick<AgentSession, 'provider' | 'model'>) => {
    const id = toSessionId(task.id)
    const part = createLiveRun(needs, id, run)
    let begun: { inserted: Promise<unknown>; close: () => Promise<void> } | undefined
    const begin = () => {
      const close = startRun(id, part, () => undefined)
      // A later run finds the row that the first run inserted.
      const row = { id, status: 'created', taskId: task.id, userId: task.createdBy, ...target } as const
      const inserted = insert(row).catch((thrown) =>
        log.error({ taskId: task.id, reason: errorMessage(thrown) }, 'the session of a task was not stored'),
      )
      return { inserted, close }
    }
    return {
      id,
      emit: ((type, data) => {
        begun ??= begin()
        part.emit(type, data)
      }) satisfies EmitEvent,
      flush: part.flush,
      close: async (): Promise<void> => {
        await begun?.inserted
        await begun?.close()
      },
    }
  }

  const isSessionOver = async (id: string): Promise<boolean> => {
    const row = await store.get(agentSessions, id)
    return row === undefined || isOver((await toSession(row)).status)
  }

  /** Marks the session as followed from another process, so that its process stores events every 1.7 s. */
  const markFollowed = (id: string) =>
    store.commit<AgentSessionRow>({
      update: agentSessions,
      key: id,
      set: { followedUntil: clock.now() + FOLLOWED_MS },
    })

  /** The stored events above an id of a session that runs or waits elsewhere, until it ends or runs here. */
  async function* followStored(id: string, after: string, signal: AbortSignal): Batches {
    const ended = new AbortController()
    let markedAt = Number.NEGATIVE_INFINITY
    const look = async () => {
      if (live.has(id) || (await isSessionOver(id))) return ended.abort()
      if (clock.monotonic() - markedAt < FOLLOWED_MS - RENEWED_BEFORE_MS) return
      markedAt = clock.monotonic()
      await markFollowed(id)
    }
    const endLooks = repeat(needs, WATCH_MS, look, UNREADABLE)
    await look().catch(() => undefined)
    let place = after
    try {
      const either = AbortSignal.any([signal, ended.signal])
      for await (const entry of feed.follow(toStreamName(id), { after }, either)) {
        place = entry.id
        yield [toSessionEvent(entry)]
      }
    } finally {
      endLooks()
    }
    if (signal.aborted) return
    // The session stores all events before it ends.
    yield* readStored(id, place)
  }

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

  /** The events of a run in this process above an id: the stored ones, those in memory, and new ones. */
  async function* readLive(run: LiveRun, id: string, after: string, signal: AbortSignal): Batches {
    const { unstored, reader, leave } = run.read()
    signal.addEventListener('abort', leave, { once: true })
    try {
      if (run.hasStored) yield* readStored(id, after)
      yield unstored
      for (let batch = await reader.next(); batch !== undefined; batch = await reader.next()) yield batch
    } finally {
      signal.removeEventListener('abort', leave)
      leave()
    }
  }

  /** The last event of a task's session when no run sent it: the worker died, or the task was waiting. */
  const missingEnd = async (sessionId: string): Promise<SessionEvent[]> => {
    const row = await store.get(agentSessions, sessionId)
    const last = row?.taskId === undefined ? undefined : await feed.last(toStreamName(sessionId))
    if (row === undefined || last === undefined || endsSession(toSessionEvent(last))) return []
    const { error, endedAt } = await toSession(row)
    if (error === undefined || endedAt === undefined) return []
    const id = `${last.id.split('-', 1)[0]}-9999999`
    return [{ id, type: 'error', data: error, timestamp: Date.parse(endedAt) }]
  }

  /** The events after an id, each once and in ascending order, until the session ends, over all runs in any process. */
  async function* follow(id: string, after: string, signal: AbortSignal): Batches {
    let passed = after
    const unseen = async function* (batches: Batches | [readonly SessionEvent[]]) {
      for await (const batch of batches) {
        const events = batch.filter((event) => event.id > passed)
        passed = events.at(-1)?.id ?? passed
        if (events.length > 0) yield events
      }
    }
    do {
      const here = live.get(id)
      yield* unseen(here ? readLive(here.run, id, passed, signal) : followStored(id, passed, signal))
      if (signal.aborted) return
    } while (live.has(id) || !(await isSessionOver(id)))
    yield* unseen([await missingEnd(id)])
  }

  return {
    open,
    openRun,
    get,
    list,
    /** Follows a session from the event after an id. Throws Problem `missing` for one that the caller may not see. */
    follow: async (principal: Principal, id: string, after: string, signal: AbortSignal) => {
      await load(principal, id)
      return follow(id, after, signal)
    },
    /** Follows a session that was just opened in this process, from its first event. */
    followOpened: (id: string, signal: AbortSignal) => follow(id, '', signal),
    /** Stops a session, or its task. Throws Problem `missing`, or `invalid` `session_state_conflict` if it ended. */
    cancel: async (principal: Principal, id: string): Promise<AgentSession> => {
      const row = await load(principal, id)
      const { status } = await toSession(row)
      if (isOver(status))
        throw new Problem(
          'invalid',
          'session_state_conflict',
          `A session that is ${status} cannot be cancelled`,
        )
      if (row.taskId !== undefined) {
        await cancelTask(principal, row.taskId)
        return toSession(row)
      }
      await store.commit<AgentSessionRow>({
        update: agentSessions,
        key: id,
        when: { status: 'running' },
        set: { cancelRequestedAt: iso(clock.now()) },
      })
      live.get(id)?.stop('CANCELLED')
      return toSession(row)
    },
    /** Ends sessions whose process died; with `all`, at the start of the only process, every running session. */
    recover: async (all = false): Promise<void> => {
      const before = clock.now() - timeoutMs - LEFT_MS
      const selection = { index: 'byStatus', is: 'running', order: 'asc', limit: 100 } as const
      for await (const rows of rowPages((from) => store.page(agentSessions, { ...selection, ...from })))
        for (const row of rows) {
          if (!all && Date.parse(row.createdAt) >= before) return
          if (!live.has(row.id)) await fail(row)
        }
    },
    /** Stops all sessions of conversations in this process. Resolves when they and their tool calls have ended. */
    stopAll: async (code: StopCode): Promise<void> => {
      for (const { stop } of live.values()) stop(code)
      await Promise.all(running)
    },
  }

  /** Ends a session whose process died: its last event has the reason. */
  async function fail({ id }: AgentSessionRow) {
    const error = { code: 'INTERRUPTED', message: 'The process that ran the session ended.' }
    const event = { type: 'error', id: '9999-0000001', data: { timestamp: clock.now(), data: error } }
    await feed.append(toStreamName(id), [event], { ttlMs: KEEP_MS })
    await store.commit<AgentSessionRow>(endWrite(id, { status: 'failed', error }))
  }
}

const toSessionEvent = ({ id, type, data }: FeedEntry): SessionEvent => ({
  id,
  type,
  ...(data as Pick<SessionEvent, 'data' | 'timestamp'>),
})
