import { messageOf, Problem } from '../core/errors.ts'
import { pagesOf } from '../core/pages.ts'
import { iso } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { Outgoing, Queue } from '../ports/queue.ts'
import type { Position, Store } from '../ports/store.ts'
import type { Lease } from './lease.ts'
import type { TaskStatus } from './machine.ts'
import { tasks } from './rows.ts'
import type { RunTask, TaskRow } from './schema.ts'
import type { Transitions } from './transitions.ts'

type Needs = {
  store: Store
  queue: Queue<RunTask>
  transitions: Transitions
  lease: Pick<Lease, 'recover'>
  clock: Clock
  log: Log
}

const PAGE = 1_000
/** Rows that a tick works on at once: so many are done within a few seconds, also while storage throttles. */
const CONCURRENCY = 200
/** A tick begins nothing more in a status after so long: it goes through two, and its function has 55 s. */
const WORK_MS = 10_000
/** A message that has led to no claim for so long may have been lost on its way. */
const UNCLAIMED_MS = 15 * 60_000
/** Approvals are decided, or expire, within ten minutes. */
const UNDECIDED_MS = 15 * 60_000
/** It is sent again once in so long. */
const SENT_AGAIN_MS = 3_600_000

/** A page of a status, oldest first. */
const oldestOf = (is: TaskStatus) => ({ index: 'byStatus', is, order: 'asc', limit: PAGE }) as const

/** Puts back on its way what a death or a lost message left behind. */
export const createRecovery = ({ store, queue, transitions, lease, clock, log }: Needs) => {
  /** What is left of a backoff; a clock that stepped back does not make it longer than it was. */
  const delayMs = ({ nextAttemptAt, updatedAt }: TaskRow) =>
    nextAttemptAt === undefined
      ? 0
      : Math.max(0, Date.parse(nextAttemptAt) - Math.max(clock.now(), Date.parse(updatedAt)))

  const messageOfRow = (row: TaskRow): Outgoing<RunTask> => ({
    body: { taskId: row.id, attempt: row.attempts + 1, ...(row.trace ? { trace: row.trace } : {}) },
    priority: row.priority,
    delayMs: Math.min(delayMs(row), queue.longestDelayMs),
    group: row.repository ?? row.createdBy,
  })

  /** Sends the message by which the run of a task goes on that waits for a decision. */
  const sendResume = (row: TaskRow): Promise<void> =>
    queue.send([
      { ...messageOfRow(row), body: { ...messageOfRow(row).body, attempt: row.attempts, resume: true } },
    ])

  /** Sends the message of a queued task. Rejects with Problem `unavailable` when the queue does not take it. */
  const send = (row: TaskRow): Promise<void> => queue.send([messageOfRow(row)])

  /** Tasks of a status, oldest first; tasks that leave the status meanwhile do not disturb it. */
  async function* inStatus(status: TaskStatus, isOver = () => false): AsyncGenerator<readonly TaskRow[]> {
    for await (const rows of pagesOf((from) => store.page(tasks, { ...oldestOf(status), ...from }))) {
      yield rows
      if (isOver()) return
    }
  }

  /** Does it with every row and answers with how many it could: one that fails costs the others nothing. */
  const withEach = async (
    rows: readonly TaskRow[],
    work: (row: TaskRow) => Promise<unknown>,
  ): Promise<number> => {
    const outcomes = await Promise.allSettled(rows.map(work))
    for (const [n, outcome] of outcomes.entries())
      if (outcome.status === 'rejected')
        log.error(
          { ...rows[n]?.trace, taskId: rows[n]?.id, reason: messageOf(outcome.reason) },
          'a task could not be put back on its way',
        )
    return outcomes.filter(({ status }) => status === 'fulfilled').length
  }

  /**
   * Once at the start of the only process on this data: every lease in it belongs to the dead, and a queue in memory
   * is empty.
   */
  const afterRestart = async (): Promise<{ resent: number; recovered: number }> => {
    let resent = 0
    let recovered = 0
    for await (const rows of inStatus('queued')) resent += await withEach(rows, send)
    for await (const rows of inStatus('in_progress')) {
      // A decision may have been on its way; a run that finds none waits again.
      resent += await withEach(
        rows.filter(({ waitingFor }) => waitingFor !== undefined),
        sendResume,
      )
      recovered += await withEach(
        rows.filter(({ waitingFor }) => waitingFor === undefined),
        lease.recover,
      )
    }
    return { resent, recovered }
  }

  /** Works on rows in order, until they are done or `isOver`. Answers how many it failed to do, and the last it began with. */
  const workOn = async (
    rows: readonly TaskRow[],
    work: (row: TaskRow) => Promise<unknown>,
    isOver: () => boolean,
  ) => {
    let failed = 0
    let at = 0
    // The first ones are done however late it is, so that each call gets on.
    for (; at < rows.length && (at === 0 || !isOver()); at += CONCURRENCY) {
      const some = rows.slice(at, at + CONCURRENCY)
      failed += some.length - (await withEach(some, work))
    }
    return { failed, last: rows[Math.min(at, rows.length) - 1] }
  }

  const isOverSoon = () => {
    const until = clock.monotonic() + WORK_MS
    return () => clock.monotonic() > until
  }

  /** Works through a status in order, until that is done or has taken long. Answers how many it failed to do. */
  const workThrough = async (
    status: TaskStatus,
    isDue: (row: TaskRow) => boolean,
    work: (row: TaskRow) => Promise<unknown>,
  ): Promise<number> => {
    let failed = 0
    const isOver = isOverSoon()
    for await (const rows of inStatus(status, isOver))
      failed += (await workOn(rows.filter(isDue), work, isOver)).failed
    return failed
  }

  const enqueue = ({ id, attempts }: TaskRow) =>
    transitions.apply({
      taskId: id,
      from: 'pending',
      verb: 'enqueue',
      when: { attempts },
      set: { queuedAt: iso(clock.now()) },
    })

  /**
   * Each tick: leases that ran out (but for the tasks that `isRunningHere`), and pending tasks that are due within what the
   * queue can delay. Answers how many it failed to do, which the log names.
   */
  const tick = async (isRunningHere: (taskId: string) => boolean): Promise<number> => {
    const now = clock.now()
    // Approvals have expired by then, and the message of that did not get here.
    const isLeftWaiting = ({ updatedAt }: TaskRow) => Date.parse(updatedAt) < now - UNDECIDED_MS
    const isAbandoned = ({ id, leaseExpiresAt = 0 }: TaskRow) => leaseExpiresAt < now && !isRunningHere(id)
    const isWaiting = ({ waitingFor }: TaskRow) => waitingFor !== undefined
    const isDue = ({ nextAttemptAt }: TaskRow) =>
      nextAttemptAt === undefined || Date.parse(nextAttemptAt) - now <= queue.longestDelayMs
    return (
      (await workThrough(
        'in_progress',
        (row) => (isWaiting(row) ? isLeftWaiting(row) : isAbandoned(row)),
        (row) => (isWaiting(row) ? sendResume(row) : lease.recover(row)),
      )) + (await workThrough('pending', isDue, enqueue))
    )
  }

  /** The place in the order of queued tasks up to which `resend` has read. */
  let resendAfter: Position | undefined

  /**
   * Sends messages once more for tasks that have been queued for 15 minutes without a claim, oldest first: messages get lost
   * where the change feed skipped a record, or was down for longer than it keeps them. Of two messages one leads to a claim.
   * A call reads one page and the next one goes on behind it, so that a long backlog is neither read nor sent at once.
   */
  const resend = async (): Promise<number> => {
    const now = clock.now()
    const isUnclaimed = ({ updatedAt, nextAttemptAt = updatedAt, sentAgainAt }: TaskRow) =>
      Date.parse(nextAttemptAt) < now - UNCLAIMED_MS &&
      (sentAgainAt === undefined || Date.parse(sentAgainAt) < now - SENT_AGAIN_MS)
    const sendOnceMore = async (row: TaskRow): Promise<void> => {
      await send(row)
      await store.commit<TaskRow>({
        update: tasks,
        key: row.id,
        when: { status: 'queued', attempts: row.attempts },
        set: { sentAgainAt: iso(now) },
      })
    }
    // None is queued before it is created, so younger ones need not be read.
    const where = [{ field: 'createdAt' as const, to: iso(now - UNCLAIMED_MS) }]
    const from = resendAfter === undefined ? {} : { after: resendAfter }
    const { rows, next } = await store.page(tasks, { ...oldestOf('queued'), where, ...from })
    const due = rows.filter(isUnclaimed)
    const { failed, last } = await workOn(due, sendOnceMore, isOverSoon())
    resendAfter = last === due.at(-1) ? next : last && { by: last.createdAt, key: last.id }
    return failed
  }

  /** Sends the message of a task that waits for it once more. Rejects with Problem `unavailable` when the queue does not take it. */
  const sendAgain = async ({ id }: Pick<TaskRow, 'id'>): Promise<void> => {
    const row = await store.get(tasks, id)
    if (row?.status === 'queued') await send(row)
  }

  /**
   * Has a task go on whose approval was decided. Does nothing for one that does not wait and is not running; throws Problem
   * `unavailable` for one that is still running, which is about to wait: the message of the decision is to come again.
   */
  const resume = async (taskId: string): Promise<void> => {
    const row = await store.get(tasks, taskId)
    if (row?.status !== 'in_progress') return
    if (row.waitingFor !== undefined) return sendResume(row)
    throw new Problem('unavailable', 'task_running', `The task ${taskId} is still running`)
  }

  return { afterRestart, tick, resend, resume, sendAgain }
}
