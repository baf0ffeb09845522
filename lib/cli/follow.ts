import { setTimeout as sleep } from 'node:timers/promises'
import { eventsIn } from '../api/server-sent-events.ts'
import { continued, placeIn } from '../api/task-log.ts'
import { isFinal } from '../tasks/machine.ts'
import type { Task, TaskEvent } from '../tasks/schema.ts'
import { type Service, steadily } from './service.ts'

/** An event of a task's agent session: text or a tool call of its model. */
export type SessionEvent = { type: string; data: Readonly<Record<string, unknown>>; timestamp: number }

type Print = { task: (event: TaskEvent) => void; session: (event: SessionEvent) => void }
type Followed = { service: Service; id: string; print: Print; signal: AbortSignal }

/** The live stream has no progress of runs: the log is read this often when no event triggers it. */
const READ_EVERY_MS = 1_000
/** How long to wait for the last events of a session after its task has ended. */
const LAST_WORDS_MS = 2_000

/** Wakes a waiting reader, or makes its next wait return at once. */
const createBell = () => {
  let rung = Promise.withResolvers<void>()
  return {
    ring: () => rung.resolve(),
    wait: async (mostMs: number, signal: AbortSignal) => {
      const timer = new AbortController()
      const both = AbortSignal.any([signal, timer.signal])
      await Promise.race([rung.promise, sleep(mostMs, undefined, { signal: both }).catch(() => undefined)])
      timer.abort()
      rung = Promise.withResolvers()
      signal.throwIfAborted()
    },
  }
}

/**
 * Rings for each change of the task in the live stream, until the signal aborts. Never throws: the log is read without it
 * too.
 */
const watchChanges = async ({ service, id, signal }: Followed, ring: () => void) => {
  while (!signal.aborted) {
    try {
      const { body } = await service.client.followEvents.raw({}, { signal })
      if (body)
        for await (const events of eventsIn(body))
          if (events.some(({ data }) => data.includes(id) || /"type":"(?:ready|reset)"/.test(data))) ring()
    } catch {
      // The next try finds out whether the service is reachable.
    }
    await sleep(READ_EVERY_MS, undefined, { signal }).catch(() => undefined)
  }
}

const isLast = ({ type }: SessionEvent) => type === 'complete' || type === 'error'

/** Prints the events of an agent session up to the last one, or until the signal aborts. */
const followSession = async ({ service, print, signal }: Followed, sessionId: string) => {
  let after = ''
  while (!signal.aborted) {
    const query = after === '' ? {} : { after }
    const answer = await service.client.followAgentSession.raw(
      { params: { id: sessionId }, query },
      { signal },
    )
    if (!answer.body) return
    for await (const events of eventsIn(answer.body))
      for (const event of events) {
        after = event.id || after
        const said = JSON.parse(event.data) as SessionEvent
        print.session(said)
        if (isLast(said)) return
      }
    await sleep(READ_EVERY_MS, undefined, { signal })
  }
}

const ENDS: readonly TaskEvent['type'][] = ['completed', 'failed', 'cancelled']

/**
 * Follows a task to its end: prints each event of its log once, and those of its agent session while it runs. Resolves to
 * the ended task. Rejects when the signal aborts, or when the service is unreachable for half a minute.
 */
export const followTask = async (followed: Followed): Promise<Task> => {
  const { service, id, print, signal } = followed
  const ended = new AbortController()
  const inner = { ...followed, signal: AbortSignal.any([signal, ended.signal]) }
  const bell = createBell()
  const read = async () => (await service.client.getTask({ params: { id } }, { signal })).task
  const session = createSession(inner)
  const log = createLog(inner)
  const first = await read()
  const handOver = async (events: readonly TaskEvent[]) => {
    for (const event of events) {
      if (ENDS.includes(event.type)) await session.lastWords()
      print.task(event)
      if (event.type === 'started') await session.expect()
    }
  }
  try {
    if (isFinal(first.status)) {
      // A task that was imported as finished has no event of its end.
      await handOver(await log.fresh())
      return first
    }
    void watchChanges(inner, bell.ring)
    for (;;) {
      await handOver(await steadily(log.fresh, signal))
      await session.begin()
      const task = log.isOver() ? await steadily(read, signal) : undefined
      // A task whose dead letter was retried continues.
      if (task && isFinal(task.status)) return task
      await bell.wait(READ_EVERY_MS, signal)
    }
  } finally {
    ended.abort()
  }
}

const createLog = ({ service, id, signal }: Followed) => {
  let known: TaskEvent[] = []
  return {
    /** The events of the log that were not printed before. */
    fresh: async (): Promise<TaskEvent[]> => {
      const after = placeIn(known)
      const query = after === undefined ? {} : { after }
      const { events } = await service.client.taskEvents({ params: { id }, query }, { signal })
      const before = new Set(known.map((event) => event.id))
      known = continued(known, after, events)
      return known.filter((event) => !before.has(event.id))
    },
    isOver: () => ENDS.includes(known.at(-1)?.type ?? 'created'),
  }
}

/**
 * The agent session of the task, which contains all its attempts. It only adds details to the log: without it the task is
 * followed too.
 */
const createSession = (followed: Followed) => {
  const { service, id, signal } = followed
  let isExpected = false
  let following: Promise<unknown> | undefined
  /** Follows the session once it exists, and resolves when its first event was printed. */
  const begin = async () => {
    if (!isExpected || following) return
    const found = await service.client
      .listAgentSessions({ query: { taskId: id } }, { signal })
      .catch(() => undefined)
    const [session] = found?.sessions ?? []
    if (!session) return
    const first = Promise.withResolvers<void>()
    const print = {
      ...followed.print,
      session: (event: SessionEvent) => {
        followed.print.session(event)
        first.resolve()
      },
    }
    following = followSession({ ...followed, print }, session.id).catch(() => undefined)
    await atMost(LAST_WORDS_MS, Promise.race([first.promise, following]))
  }
  return {
    /** The task has started, so its session exists or will soon. */
    expect: async () => {
      isExpected = true
      await begin()
    },
    begin,
    lastWords: async () => {
      await begin()
      if (following) await atMost(LAST_WORDS_MS, following)
    },
  }
}

const atMost = (ms: number, work: Promise<unknown>) =>
  Promise.race([work, sleep(ms, undefined, { ref: false })])
