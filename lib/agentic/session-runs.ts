import { definedFields } from '../core/defined-fields.ts'
import { errorMessage, Problem } from '../core/errors.ts'
import type { Masker } from '../core/masker.ts'
import { rowPages } from '../core/page.ts'
import { repeat } from '../core/repeat.ts'
import { iso } from '../core/time.ts'
import type { Feed } from '../feed/feed.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { Log } from '../ports/log.ts'
import type { Store } from '../ports/store.ts'
import {
  type AgentSessionRow,
  afterAll,
  agentSessions,
  KEEP_MS,
  ONLY_RUN,
  toSessionId,
  toStreamName,
} from './rows.ts'
import type { AgentSession, EmitEvent, SessionEvent } from './schema.ts'
import { createSessionRun, type SessionRun } from './session-run.ts'

type StopCode = 'CANCELLED' | 'ORPHANED' | 'TIMEOUT' | 'SHUTDOWN'
const TEXTS: Readonly<Record<StopCode, string>> = {
  CANCELLED: 'The session was cancelled.',
  ORPHANED: 'The session was stopped because no one was watching it.',
  TIMEOUT: 'The session reached its time limit.',
  SHUTDOWN: 'The service is shutting down. Send the message again.',
}

export class SessionStopped extends Problem {
  constructor(code: StopCode) {
    super('unavailable', code, TEXTS[code])
  }
}

export type RunNeeds = {
  store: Store
  feed: Feed
  clock: Clock
  ids: Ids
  log: Log
  masker: Masker
  timeoutMs: number
  orphanMs: number
}

type Target = Pick<AgentSession, 'provider' | 'model'>
type TaskOwner = { id: string; createdBy: string }
type Started = Pick<AgentSession, 'userId' | 'provider' | 'model'> & { conversationId: string }

/** A run of this process. That of a task is stopped with its task. */
type Running = { run: SessionRun; stop?: (code: StopCode) => void; ended?: Promise<void> }

/**
 * How often a running session checks whether another process asks for its cancellation, or follows it. A reader in
 * another process lags at most two seconds: two checks, and its own poll.
 */
export const WATCH_MS = 850
/** Checks between two appends of a session that another process follows: each append costs money. */
const LOOKS_OF_APPEND = 2
export const UNREADABLE = 'the state of an agent session could not be read'
/** A session that runs this much longer than its time limit lost its process. */
const LEFT_MS = 60_000

export type SessionRuns = ReturnType<typeof createSessionRuns>
/** A running session of a conversation, for the code that runs it. Its signal aborts with `SessionStopped`. */
export type OpenSession = Awaited<ReturnType<SessionRuns['open']>>
/** The part of a task's session that one run adds. A run without events stores nothing. */
export type TaskSessionRun = ReturnType<SessionRuns['openRun']>

/** The agent sessions that run in this process, from their begin to their stored end. */
export const createSessionRuns = (needs: RunNeeds) => {
  const { store, feed, clock, ids, log, timeoutMs, orphanMs } = needs
  const running = new Map<string, Running>()

  const insert = (session: Omit<AgentSession, 'createdAt'>) => {
    const now = clock.now()
    const row: AgentSessionRow = { ...session, createdAt: iso(now), expiresAt: now + KEEP_MS }
    return store.commit<AgentSessionRow>({ insert: agentSessions, row })
  }

  /** Stores the end of a session that still runs. */
  const storeEnd = (key: string, set: Pick<AgentSession, 'status' | 'error' | 'cost'>) =>
    store.commit<AgentSessionRow>({
      update: agentSessions,
      key,
      when: { status: 'running' },
      set: { ...set, endedAt: iso(clock.now()) },
    })

  const insertOfTask = ({ id: taskId, createdBy }: TaskOwner, target: Target) => {
    // A later run finds the row that the first run inserted.
    const row = { id: toSessionId(taskId), status: 'created', taskId, userId: createdBy, ...target } as const
    return insert(row).catch((thrown) =>
      log.error({ taskId, reason: errorMessage(thrown) }, 'the session of a task was not stored'),
    )
  }

  /** Adds events of a run in another process, which it has numbered and masked; a repeated call adds nothing. */
  const addEvents = async (
    task: TaskOwner,
    target: Target,
    events: readonly SessionEvent[],
  ): Promise<void> => {
    if (events.length === 0) return
    const id = toSessionId(task.id)
    if ((await store.get(agentSessions, id)) === undefined) await insertOfTask(task, target)
    const drafts = events.map(({ id, type, timestamp, data }) => ({ type, id, data: { timestamp, data } }))
    await feed.append(toStreamName(id), drafts, { ttlMs: KEEP_MS })
  }

  /**
   * Registers a run. While the session is followed from another process, its events are stored at every second look. The
   * returned function ends the run when its events are stored.
   */
  const register = (
    id: string,
    one: Running,
    onLook: (row: AgentSessionRow | undefined) => void = () => undefined,
  ) => {
    running.set(id, one)
    let looks = 0
    const look = async () => {
      const row = await store.get(agentSessions, id, true)
      onLook(row)
      looks += 1
      const isFollowed = (row?.followedUntil ?? 0) > clock.now()
      if (isFollowed && looks % LOOKS_OF_APPEND === 0) await one.run.flush()
    }
    const endLooks = repeat(needs, WATCH_MS, look, UNREADABLE)
    return async () => {
      endLooks()
      await one.run.close()
      if (running.get(id) === one) running.delete(id)
    }
  }

  /**
   * Begins a session of a conversation. It stops at its time limit, when its last reader has disconnected, and when its
   * cancellation was requested.
   */
  const open = async ({ conversationId, userId, provider, model }: Started) => {
    const id = ids.next('sess')
    await insert({ id, status: 'running', conversationId, userId, provider, model })
    const run = createSessionRun(needs, id, ONLY_RUN)
    const controller = new AbortController()
    const stop = (code: StopCode) => controller.abort(new SessionStopped(code))
    const { promise: ended, resolve: resolveEnded } = Promise.withResolvers<void>()
    const cancelTimeout = clock.after(timeoutMs, () => stop('TIMEOUT'))
    const close = register(id, { run, stop, ended }, (row) => {
      if (row?.cancelRequestedAt !== undefined) stop('CANCELLED')
      const readUntil = Math.max(run.readUntil, row?.followedUntil ?? 0)
      if (clock.now() - readUntil >= orphanMs) stop('ORPHANED')
    })
    return {
      id,
      signal: controller.signal,
      emit: run.emit,
      end: async (
        status: 'completed' | 'failed' | 'cancelled',
        facts: Pick<AgentSession, 'error' | 'cost'> = {},
      ): Promise<void> => {
        cancelTimeout()
        await run.flush()
        try {
          await storeEnd(id, { status, ...definedFields(facts) })
        } finally {
          // If the end was not stored, the next tick finds the session as one without a process.
          await close()
          resolveEnded()
        }
      },
    }
  }

  /** The part of a task's session that a run adds; `number` is the fencing token, which grows with every run. */
  const openRun = (task: TaskOwner, number: number, target: Target) => {
    const id = toSessionId(task.id)
    const run = createSessionRun(needs, id, number)
    let begun: { inserted: Promise<unknown>; close: () => Promise<void> } | undefined
    const begin = () => {
      return { close: register(id, { run }), inserted: insertOfTask(task, target) }
    }
    return {
      id,
      emit: ((type, data) => {
        begun ??= begin()
        run.emit(type, data)
      }) satisfies EmitEvent,
      flush: run.flush,
      close: async (): Promise<void> => {
        await begun?.inserted
        await begun?.close()
      },
    }
  }

  /** Ends a session whose process died: its last event has the reason. */
  const endLost = async ({ id }: AgentSessionRow) => {
    const error = { code: 'INTERRUPTED', message: 'The service was restarted during the session.' }
    const event = { type: 'error', id: afterAll(ONLY_RUN), data: { timestamp: clock.now(), data: error } }
    await feed.append(toStreamName(id), [event], { ttlMs: KEEP_MS })
    await storeEnd(id, { status: 'failed', error })
  }

  return {
    open,
    openRun,
    addEvents,
    /** The run of a session in this process. */
    find: (id: string): SessionRun | undefined => running.get(id)?.run,
    /** Stops the session of a conversation if it runs in this process. */
    stop: (id: string, code: StopCode) => running.get(id)?.stop?.(code),
    /** Ends sessions whose process died; with `all`, at the start of the only process, every running session. */
    recover: async (all = false): Promise<void> => {
      const before = clock.now() - timeoutMs - LEFT_MS
      const selection = { index: 'byStatus', is: 'running', order: 'asc', limit: 100 } as const
      for await (const rows of rowPages((from) => store.page(agentSessions, { ...selection, ...from })))
        for (const row of rows) {
          if (!all && Date.parse(row.createdAt) >= before) return
          if (!running.has(row.id)) await endLost(row)
        }
    },
    /** Stops all sessions of conversations in this process. Resolves when they and their tool calls have ended. */
    stopAll: async (code: StopCode): Promise<void> => {
      const all = [...running.values()]
      for (const { stop } of all) stop?.(code)
      await Promise.all(all.map(({ ended }) => ended))
    },
  }
}
