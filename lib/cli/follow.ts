import { setTimeout as sleep } from 'node:timers/promises'
import { eventsIn } from '../api/server-sent-events.ts'
import { continued, isEnd, isReadBackDue, lastOfRun, newestIn, placeIn } from '../api/task-log.ts'
import { endsSession } from '../core/session-end.ts'
import { isFinal } from '../tasks/machine.ts'
import type { Task, TaskEvent } from '../tasks/schema.ts'
import { isCutOff, type Service, steadily } from './service.ts'

/** An event of a task's agent session: text or a tool call of its model. */
export type SessionEvent = { type: string; data: Readonly<Record<string, unknown>>; timestamp: number }

type Print = {
  /** An event of the log. That of an end comes with the output of the task, if it has one. */
  task: (event: TaskEvent, output?: string) => void
  session: (event: SessionEvent) => void
}
type Followed = { service: Service; id: string; print: Print; signal: AbortSignal }

/** The log is read this often when no event triggers it: the live stream may be away, and an event about progress may be lost. */
const READ_EVERY_MS = 1_000
/** The log is read within this time after words of the session, which are then printed: many come in one second. */
const SPOKEN_MS = 250
/** Within this time the session's stream brings the events before an event of the log. */
const SETTLED_MS = 500
/** How long to wait for the last events of a session after its task has ended. */
const LAST_WORDS_MS = 2_000

/** The order of entries of the same time: a task starts before its session, and ends after it. */
type Rank = 'first' | 'between' | 'last'

type Entry = { readonly at: number; readonly rank: number; readonly print: () => void }

const ranks: Readonly<Record<Rank, number>> = { first: 0, between: 1, last: 2 }

/** Prints the entries of several sources by their times in milliseconds; one that comes too late is printed next. */
const createMerge = () => {
  let waiting: Entry[] = []
  let seenUntil = -Infinity
  /** Prints the entries up to a time, for a caller that knows every entry up to it. */
  const printUntil = (last: number) => {
    const due = waiting.filter(({ at }) => at <= last)
    waiting = waiting.filter(({ at }) => at > last)
    for (const { print } of due.sort((a, b) => a.at - b.at || a.rank - b.rank)) print()
  }
  return {
    add: (at: number, rank: Rank, print: () => void) => void waiting.push({ at, rank: ranks[rank], print }),
    printUntil,
    /** Prints up to the newest entry of the call before: the sources were read since, so all entries before it have come. */
    printSeen: () => {
      printUntil(seenUntil)
      for (const { at } of waiting) seenUntil = Math.max(seenUntil, at)
    },
    printAll: () => printUntil(Infinity),
  }
}

/** Wakes a waiting reader, or makes its next wait return at once. */
const createBell = () => {
  let rung = Promise.withResolvers<void>()
  let isArmed = false
  return {
    ring: () => rung.resolve(),
    /** Rings after a time, once for all calls until then. */
    ringIn: async (ms: number) => {
      if (isArmed) return
      isArmed = true
      await sleep(ms, undefined, { ref: false })
      isArmed = false
      rung.resolve()
    },
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

/** Rings for each change of the task in the live stream, until the signal aborts. Never throws. */
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

type Place = { after: string }

/** Prints the events of an agent session from a place up to the last one, or until the signal aborts. */
const followSession = async ({ service, print, signal }: Followed, sessionId: string, place: Place) => {
  while (!signal.aborted) {
    const query = place.after === '' ? {} : { after: place.after }
    const answer = await service.client.followAgentSession.raw(
      { params: { id: sessionId }, query },
      { signal },
    )
    if (!answer.body) return
    for await (const events of eventsIn(answer.body))
      for (const event of events) {
        place.after = event.id || place.after
        const sessionEvent = JSON.parse(event.data) as SessionEvent
        print.session(sessionEvent)
        if (endsSession(sessionEvent)) return
      }
    await sleep(READ_EVERY_MS, undefined, { signal })
  }
}

/**
 * Follows a task to its end: prints each event of its log once, and those of its agent session while it runs, in the order
 * of their times. Resolves to the ended task. Rejects when the signal aborts, or when the service is unreachable for half a
 * minute.
 */
export const followTask = async (followed: Followed): Promise<Task> => {
  const { service, id, print, signal } = followed
  const ended = new AbortController()
  const merge = createMerge()
  const bell = createBell()
  /** The time of the session's newest event that has come. */
  let heardUntil = -Infinity
  let output: string | undefined
  const inner: Followed = {
    service,
    id,
    signal: AbortSignal.any([signal, ended.signal]),
    print: {
      task: (event) =>
        isEnd(event)
          ? merge.add(Date.parse(event.timestamp), 'last', () => print.task(event, output))
          : merge.add(Date.parse(event.timestamp), 'first', () => print.task(event)),
      session: (event) => {
        heardUntil = Math.max(heardUntil, event.timestamp)
        merge.add(event.timestamp, 'between', () => print.session(event))
        void bell.ringIn(SPOKEN_MS)
      },
    },
  }
  let settledAt = performance.now()
  const printSettled = () => {
    if (performance.now() - settledAt < SETTLED_MS) return
    settledAt = performance.now()
    merge.printSeen()
  }
  const readTask = async () => (await service.client.getTask({ params: { id } }, { signal })).task
  const session = createSession(inner)
  const log = createLog(inner)
  const first = await readTask()
  try {
    if (isFinal(first.status)) {
      // A task that was imported as finished has no event of its end.
      await log.readOn()
      return first
    }
    void watchChanges(inner, bell.ring)
    for (;;) {
      const heard = heardUntil
      await steadily(log.readOn, signal)
      if (log.hasStarted()) await session.begin()
      if (log.isOver()) {
        await session.lastWords()
        await steadily(log.readBack, signal)
        const task = await steadily(readTask, signal)
        output = task.result?.output
        // A task whose dead letter was retried continues.
        if (isFinal(task.status)) return task
      }
      // The log was read after these events came, so that its events of the time before are known.
      merge.printUntil(heard)
      if (session.isFollowed()) printSettled()
      else merge.printAll()
      await bell.wait(READ_EVERY_MS, signal)
    }
  } finally {
    ended.abort()
    merge.printAll()
  }
}

const createLog = ({ service, id, print, signal }: Followed) => {
  let known: TaskEvent[] = []
  let readBackAt = -Infinity
  let hasStarted = false
  const readAfter = async (after: string | undefined): Promise<void> => {
    const query = after === undefined ? {} : { after }
    const { events } = await service.client.taskEvents({ params: { id }, query }, { signal })
    const before = new Set(known.map((event) => event.id))
    known = continued(known, after, events)
    for (const event of known)
      if (!before.has(event.id)) {
        print.task(event)
        hasStarted ||= event.type === 'started'
      }
  }
  /** Prints the events that were stored since, also those that were stored late. */
  const readBack = async () => {
    await readAfter(placeIn(known))
    readBackAt = performance.now()
  }
  return {
    readBack,
    /** Prints the events that follow the newest. */
    readOn: () => (isReadBackDue(readBackAt, performance.now()) ? readBack() : readAfter(newestIn(known))),
    hasStarted: () => hasStarted,
    isOver: () => {
      const last = lastOfRun(known)
      return last !== undefined && isEnd(last)
    },
  }
}

/** The agent session of the task, with all its attempts. The task is followed without it too. */
const createSession = (followed: Followed) => {
  const { service, id, signal } = followed
  let following: Promise<unknown> | undefined
  let isFollowed = false
  const place: Place = { after: '' }
  /** Follows the session once it exists, also when its stream broke off, and resolves when its next event has come. */
  const begin = async () => {
    if (following) return
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
    isFollowed = true
    following = followSession({ ...followed, print }, session.id, place)
      .catch((error) => {
        if (isCutOff(error)) following = undefined
      })
      .finally(() => {
        isFollowed = false
      })
    await atMost(LAST_WORDS_MS, Promise.race([first.promise, following]))
  }
  return {
    begin,
    /** Whether more of the session may come. */
    isFollowed: () => isFollowed,
    lastWords: async () => {
      if (following) await atMost(LAST_WORDS_MS, following)
    },
  }
}

const atMost = (ms: number, work: Promise<unknown>) =>
  Promise.race([work, sleep(ms, undefined, { ref: false })])
