import { definedFields } from '../core/defined-fields.ts'
import { errorMessage, Problem } from '../core/errors.ts'
import { rowPages } from '../core/page.ts'
import { iso } from '../core/time.ts'
import { CORRECTED, isTooLate } from '../core/wrong-clock.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { Outgoing, Queue } from '../ports/queue.ts'
import type { Position, Store } from '../ports/store.ts'
import type { Lease, TaskApprovals } from './lease.ts'
import type { TaskStatus } from './machine.ts'
import { runMessage, tasks } from './rows.ts'
import type { RunTask, TaskRow } from './schema.ts'
import type { Transitions } from './transitions.ts'

type Needs = {
  store: Store
  queue: Queue<RunTask>
  transitions: Transitions
  lease: Pick<Lease, 'recover' | 'expire' | 'proceed' | 'waitLonger'>
  approvals: Pick<TaskApprovals, 'stateOfAll'>
  clock: Clock
  log: Log
  leaseMs: number
  /** Called with each task that is in progress when the process starts. */
  follow?: (row: TaskRow) => void
}

/** The longest wait before an attempt: a provider may name a time up to a day ahead. */
const LONGEST_DELAY_MS = 86_400_000
const PAGE = 1_000
/** The rows that a tick handles at once: they take a few seconds, even while storage throttles. */
const CONCURRENCY = 200
/** A tick starts no further rows of a status after this time: it handles two statuses, and its function has 55 s. */
const WORK_MS = 10_000
/** A message without a claim for this long may be lost. */
const UNCLAIMED_MS = 15 * 60_000
/** How often tasks that wait for approval are compared with their approvals: the message of a decision may be lost. */
const WAITS_CHECKED_MS = 15 * 60_000
const SENT_AGAIN_MS = 3_600_000

const oldestFirst = (is: TaskStatus) => ({ index: 'byStatus', is, order: 'asc', limit: PAGE }) as const

/** Whether a run is stored until a decision. One that lives on while it waits has a lease. */
const isSuspended = ({ waitingFor, leaseExpiresAt }: TaskRow): boolean =>
  waitingFor !== undefined && leaseExpiresAt === undefined
/** Such a task has no message until it may go on. */
const waitsInQueue = ({ waitingFor }: TaskRow): boolean => waitingFor !== undefined
/** A task that waits for a slot is let go by that. */
const waitsForLimit = ({ waitingFor }: TaskRow): boolean => waitingFor === 'hold' || waitingFor === 'budget'

type RowWork = (row: TaskRow) => Promise<unknown>

/** Continues tasks that a death of a process or a lost message interrupted. */
export const createRecovery = (needs: Needs) => {
  const { store, queue, transitions, lease, approvals, clock, log, leaseMs } = needs
  /** The rest of a backoff; a clock that stepped back does not lengthen it. */
  const delayMs = ({ nextAttemptAt, updatedAt }: TaskRow) =>
    nextAttemptAt === undefined
      ? 0
      : Math.max(0, Date.parse(nextAttemptAt) - Math.max(clock.now(), Date.parse(updatedAt)))

  const toOutgoing = (row: TaskRow): Outgoing<RunTask> => {
    const { body, priority, group, lane, owner } = runMessage(row)
    return { body, priority, delayMs: Math.min(delayMs(row), queue.longestDelayMs), group, lane, owner }
  }

  /** Sends the message that continues a run which waits for a decision. */
  const sendResume = (row: TaskRow): Promise<void> => {
    const { body, ...outgoing } = toOutgoing(row)
    const { since: _since, due: _due, ...run } = body
    return queue.send([
      {
        ...outgoing,
        body: {
          ...run,
          attempt: row.attempts,
          resume: true,
          ...definedFields({ home: row.runner ?? row.home }),
        },
      },
    ])
  }

  /** Sends the message of a queued task. Rejects with Problem `unavailable` when the queue does not accept it. */
  const send = (row: TaskRow): Promise<void> => queue.send([toOutgoing(row)])

  /** Continues a task whose approvals are decided, and fails one with an expired approval. False if it still waits. */
  const settleWait = async (row: TaskRow): Promise<boolean> => {
    const state = await approvals.stateOfAll(row.approvalIds ?? [])
    if (state === 'expired') await lease.expire(row)
    if (state === 'decided') await sendResume(row)
    return state !== 'pending'
  }

  /** Yields pages of tasks of a status, oldest first; tasks that leave the status meanwhile do not disturb the order. */
  async function* inStatus(status: TaskStatus, isOver = () => false): AsyncGenerator<readonly TaskRow[]> {
    for await (const rows of rowPages((from) => store.page(tasks, { ...oldestFirst(status), ...from }))) {
      yield rows
      if (isOver()) return
    }
  }

  /** Calls `work` for every row and resolves to the number of successes; one failure does not stop the others. */
  const withEach = async (rows: readonly TaskRow[], work: RowWork): Promise<number> => {
    const outcomes = await Promise.allSettled(rows.map(work))
    for (const [n, outcome] of outcomes.entries())
      if (outcome.status === 'rejected')
        log.error(
          { ...rows[n]?.trace, taskId: rows[n]?.id, reason: errorMessage(outcome.reason) },
          'a task could not be recovered',
        )
    return outcomes.filter(({ status }) => status === 'fulfilled').length
  }

  /** Gives a runner the time of a lease from now on: it goes on while this process was away. */
  const keepLease = ({ id: taskId, fence }: TaskRow) =>
    store.commit<TaskRow>({
      update: tasks,
      key: taskId,
      when: { status: 'in_progress', fence },
      set: { leaseExpiresAt: clock.now() + leaseMs },
    })

  /**
   * Runs at the start of the only process on this data: the process of every stored lease is dead, its queue empty. Only
   * runners live on.
   */
  const afterRestart = async (): Promise<{ resent: number; recovered: number }> => {
    let resent = 0
    let recovered = 0
    for await (const rows of inStatus('queued'))
      resent += await withEach(
        rows.filter((row) => !waitsInQueue(row)),
        send,
      )
    for await (const rows of inStatus('in_progress')) {
      for (const row of rows) needs.follow?.(row)
      await withEach(rows.filter(isSuspended), async (row) => {
        if (await settleWait(row)) resent += 1
      })
      const running = rows.filter((row) => !isSuspended(row))
      await withEach(
        running.filter(({ runner }) => runner !== undefined),
        keepLease,
      )
      recovered += await withEach(
        running.filter(({ runner }) => runner === undefined),
        lease.recover,
      )
    }
    return { resent, recovered }
  }

  /** Works on rows in order, until all are done or `isOver`. Resolves to the number of failures and the last row it started. */
  const workOn = async (rows: readonly TaskRow[], work: RowWork, isOver: () => boolean) => {
    let failed = 0
    let at = 0
    // The first rows are handled even when it is late, so that each call makes progress.
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

  /** Works through a status in order, until all rows are done or the time is up. Resolves to the number of failures. */
  const workThrough = async (status: TaskStatus, isDue: (row: TaskRow) => boolean, work: RowWork) => {
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

  const runCorrection = (row: TaskRow, now: number, isAhead: boolean): Partial<TaskRow> | undefined => {
    if (isTooLate(row.leaseExpiresAt ?? 0, now + leaseMs))
      return { updatedAt: iso(now), leaseExpiresAt: now + leaseMs }
    return isAhead && isSuspended(row) ? { updatedAt: iso(now) } : undefined
  }

  /** The corrected times of a row that was written under a clock ahead; undefined for any other row. */
  const correction = (row: TaskRow): Partial<TaskRow> | undefined => {
    const now = clock.now()
    const updatedAt = Date.parse(row.updatedAt)
    const isAhead = isTooLate(updatedAt, now)
    if (row.status === 'in_progress') return runCorrection(row, now, isAhead)
    const nextAttemptAt = Date.parse(row.nextAttemptAt ?? row.updatedAt)
    if (!isAhead && !isTooLate(nextAttemptAt, now + LONGEST_DELAY_MS)) return undefined
    // Both times were written under the same clock.
    const delay = Math.min(LONGEST_DELAY_MS, Math.max(0, nextAttemptAt - updatedAt))
    return { updatedAt: iso(now), nextAttemptAt: iso(now + delay) }
  }

  /** Stores the corrected times unless the row has changed since. */
  const correct = async (row: TaskRow): Promise<void> => {
    const set = correction(row)
    if (set === undefined) return
    const { id: taskId, status, updatedAt, nextAttemptAt, leaseExpiresAt } = row
    const when = { status, updatedAt, ...definedFields({ leaseExpiresAt }) }
    const { applied } = await store.commit<TaskRow>({ update: tasks, key: taskId, when, set })
    if (applied) log.warn({ taskId, before: { updatedAt, nextAttemptAt, leaseExpiresAt }, ...set }, CORRECTED)
  }

  let waitsCheckedAt = Number.NEGATIVE_INFINITY

  /** Recovers tasks whose lease ran out, and queues pending ones that are due. Resolves to the number of failures. */
  const tick = async (isRunningHere: (taskId: string) => boolean): Promise<number> => {
    const now = clock.now()
    const isCheckOfWaits = clock.monotonic() - waitsCheckedAt >= WAITS_CHECKED_MS
    if (isCheckOfWaits) waitsCheckedAt = clock.monotonic()
    const isLeftWaiting = ({ updatedAt }: TaskRow) => Date.parse(updatedAt) < now - WAITS_CHECKED_MS
    const isAhead = (row: TaskRow) => correction(row) !== undefined
    const isAbandoned = ({ id, leaseExpiresAt = 0 }: TaskRow) => leaseExpiresAt < now && !isRunningHere(id)
    const isDue = ({ nextAttemptAt }: TaskRow) =>
      nextAttemptAt === undefined || Date.parse(nextAttemptAt) - now <= queue.longestDelayMs
    return (
      (await workThrough(
        'in_progress',
        (row) => isAhead(row) || (isSuspended(row) ? isCheckOfWaits && isLeftWaiting(row) : isAbandoned(row)),
        (row) => {
          if (isAhead(row)) return correct(row)
          return isSuspended(row) ? settleWait(row) : lease.recover(row)
        },
      )) +
      (await workThrough(
        'pending',
        (row) => isAhead(row) || isDue(row),
        (row) => (isAhead(row) ? correct(row) : enqueue(row)),
      ))
    )
  }

  /** The place in the order of queued tasks that `resend` has read up to. */
  let resendAfter: Position | undefined

  /**
   * Repeats the messages of tasks that have been queued for 15 minutes without a claim, oldest first: a message is
   * lost when the change feed skipped a record, or was down for longer than its retention. Of two messages only one
   * leads to a claim. Each call reads one page and the next call continues behind it.
   */
  const resend = async (): Promise<number> => {
    const now = clock.now()
    // A time of the future was written under a clock ahead: how long ago that was is not known.
    const isBefore = (at: string, ms: number) => Date.parse(at) < now - ms || isTooLate(Date.parse(at), now)
    const isUnclaimed = ({ updatedAt, nextAttemptAt = updatedAt, sentAgainAt, waitingFor }: TaskRow) =>
      waitingFor === undefined &&
      (isBefore(updatedAt, UNCLAIMED_MS) ? isBefore(nextAttemptAt, UNCLAIMED_MS) : false) &&
      (sentAgainAt === undefined || isBefore(sentAgainAt, SENT_AGAIN_MS))
    const sendOnceMore = async (row: TaskRow): Promise<void> => {
      await send(row)
      await store.commit<TaskRow>({
        update: tasks,
        key: row.id,
        when: { status: 'queued', attempts: row.attempts },
        set: { sentAgainAt: iso(now) },
      })
    }
    // No task is queued before its creation, so younger tasks need not be read.
    const where = [{ field: 'createdAt' as const, to: iso(now - UNCLAIMED_MS) }]
    const from = resendAfter === undefined ? {} : { after: resendAfter }
    const { rows, next } = await store.page(tasks, { ...oldestFirst('queued'), where, ...from })
    const due = rows.filter(isUnclaimed)
    const { failed, last } = await workOn(due, sendOnceMore, isOverSoon())
    resendAfter = last === due.at(-1) ? next : last && { by: last.createdAt, key: last.id }
    return failed
  }

  /** Repeats the message of a queued task. Rejects with Problem `unavailable` when the queue does not accept it. */
  const sendAgain = async ({ id }: Pick<TaskRow, 'id'>): Promise<void> => {
    const row = await store.get(tasks, id)
    if (row?.status === 'queued') await send(row)
  }

  /**
   * Continues a task one of whose approvals was decided, or fails it when one has expired; any other task stays as it
   * is. Throws Problem `unavailable` for a task that still runs and is about to wait, so that the message is
   * delivered again.
   */
  const resume = async (taskId: string): Promise<void> => {
    const row = await store.get(tasks, taskId)
    if (row?.status !== 'in_progress') return
    if (isSuspended(row)) {
      const state = await approvals.stateOfAll(row.approvalIds ?? [])
      return state === 'expired' ? lease.expire(row) : sendResume(row)
    }
    throw new Problem('unavailable', 'task_running', `The task ${taskId} is still running`)
  }

  /**
   * Lets queued tasks go on, oldest first: those that wait for a provider or a budget, for which `heldUntil` gives no time,
   * and those that wait for a runner and are for one that takes tasks. Corrects the time of the others. Resolves to the
   * number of failures.
   */
  const letGo = (
    heldUntil: (row: TaskRow) => Promise<string | undefined>,
    isForRunner: (row: TaskRow) => boolean,
  ): Promise<number> => {
    const mayGoOn = (row: TaskRow) => waitsForLimit(row) || (row.waitingFor === 'runner' && isForRunner(row))
    return workThrough('queued', mayGoOn, async (row) => {
      const until = await heldUntil(row)
      if (until === undefined) return lease.proceed(row)
      if (until !== row.waiting?.until) await lease.waitLonger(row, until)
    })
  }

  return { afterRestart, tick, resend, letGo, resume, sendAgain }
}
