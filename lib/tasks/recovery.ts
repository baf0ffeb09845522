import { messageOf } from '../core/errors.ts'
import { pagesOf } from '../core/pages.ts'
import { iso } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { Queue } from '../ports/queue.ts'
import type { Query, Store } from '../ports/store.ts'
import type { Enqueue } from './enqueue.ts'
import type { TaskStatus } from './machine.ts'
import type { Reconcile } from './reconcile.ts'
import { type TaskRow, tasks } from './rows.ts'
import type { createRuns } from './runs.ts'
import type { RunTask } from './schema.ts'

type Needs = {
  store: Store
  queue: Queue<RunTask>
  enqueueing: Enqueue
  reconcile: Pick<Reconcile, 'settle'>
  runs: Pick<ReturnType<typeof createRuns>, 'recover'>
  clock: Clock
  log: Log
}

const PAGE = 1_000
/** Rows that a tick works on at once: so many are done within a few seconds, whatever stands in the way. */
const WORKED_AT_ONCE = 200
/** A tick begins nothing more in a status after so long: it goes through three, and its function has 55 s. */
const WORK_MS = 10_000
/** Whoever makes a task pending sends its message within moments; one that is pending for longer was left there. */
const PENDING_GRACE_MS = 10_000
/** What a durable queue keeps messages for; it forgets those of tasks that were queued before. */
const RETENTION_MS = 10 * 86_400_000

/** Puts back on its way what a death or a refusal left lying. */
export const createRecovery = (needs: Needs) => {
  const { store, queue, reconcile, runs, clock, log } = needs
  const { enqueue, messageFor } = needs.enqueueing

  /** Tasks of a status, oldest first; the walk survives tasks leaving the status behind it. */
  async function* inStatus(
    status: TaskStatus,
    { limit = PAGE, ...more }: Partial<Query<TaskRow>> = {},
    isOver = () => false,
  ): AsyncGenerator<readonly TaskRow[]> {
    const selection = { index: 'byStatus', is: status, order: 'asc', limit, ...more } as const
    for await (const rows of pagesOf((from) => store.page(tasks, { ...selection, ...from }))) {
      yield rows
      if (isOver()) return
    }
  }

  /**
   * Does it with every row and answers with how many it could: one that cannot be helped costs the others nothing. What
   * they send in one turn shares its requests.
   */
  const withEach = async (
    rows: readonly TaskRow[],
    take: (row: TaskRow) => Promise<unknown>,
  ): Promise<number> => {
    const taken = await Promise.allSettled(rows.map(take))
    for (const [n, outcome] of taken.entries())
      if (outcome.status === 'rejected')
        log.error(
          { taskId: rows[n]?.id, reason: messageOf(outcome.reason) },
          'a task could not be put back on its way',
        )
    return taken.filter(({ status }) => status === 'fulfilled').length
  }

  /**
   * Once at the start of the only process on this data: every lease in it belongs to the dead, and a queue in memory
   * is empty.
   */
  const afterRestart = async (): Promise<{ resent: number; recovered: number }> => {
    let resent = 0
    let recovered = 0
    for await (const rows of inStatus('queued'))
      resent += await withEach(rows, async (row) => queue.send([messageFor(row)]))
    for await (const rows of inStatus('pending')) await withEach(rows, enqueue)
    for await (const rows of inStatus('in_progress')) recovered += await withEach(rows, runs.recover)
    return { resent, recovered }
  }

  /**
   * Works through a status in order, so many rows at once, until that is done or the tick has been at it for long.
   * Answers how many it could do nothing for.
   */
  const work = async (
    status: TaskStatus,
    isDue: (row: TaskRow) => boolean,
    take: (row: TaskRow) => Promise<unknown>,
    where: Query<TaskRow>['where'] = [],
  ): Promise<number> => {
    let left = 0
    const until = clock.monotonic() + WORK_MS
    const isOver = () => clock.monotonic() > until
    for await (const rows of inStatus(status, { where }, isOver)) {
      const due = rows.filter(isDue)
      for (let at = 0; at < due.length && !isOver(); at += WORKED_AT_ONCE) {
        const some = due.slice(at, at + WORKED_AT_ONCE)
        left += some.length - (await withEach(some, take))
      }
    }
    return left
  }

  /** Whoever left it pending may have left untold what made it so. */
  const takeUp = async (row: TaskRow): Promise<void> => {
    await enqueue((await reconcile.settle(row.id)) ?? row)
  }

  /** Sends a task again whose message the queue has forgotten; a message that was not forgotten finds nothing to do. */
  const sendAgain = async (row: TaskRow): Promise<void> => {
    await queue.send([messageFor(row)])
    await store.commit<TaskRow>({
      update: tasks,
      key: row.id,
      when: { status: 'queued', queuedAt: row.queuedAt ?? null },
      set: { queuedAt: iso(clock.now()) },
    })
  }

  /**
   * Each tick: leases that ran out (but for the tasks that `isRunningHere`), and tasks that the queue has not got yet.
   * Answers how many are left lying though they were due, which the log names.
   */
  const tick = async (isRunningHere: (taskId: string) => boolean): Promise<number> => {
    const now = clock.now()
    const abandoned = (row: TaskRow) => (row.leaseExpiresAt ?? 0) < now && !isRunningHere(row.id)
    const lost = await work('in_progress', abandoned, runs.recover)
    const isSendable = ({ nextAttemptAt }: TaskRow) =>
      nextAttemptAt === undefined || Date.parse(nextAttemptAt) - now <= queue.longestDelayMs
    const forgotten = (row: TaskRow) => Date.parse(row.updatedAt) < now - PENDING_GRACE_MS && isSendable(row)
    const unsent = await work('pending', forgotten, takeUp)
    const unheard = queue.durable ? await resendForgotten(iso(now - RETENTION_MS)) : 0
    return lost + unsent + unheard
  }

  const resendForgotten = (before: string) =>
    work('queued', ({ queuedAt = '' }) => queuedAt < before, sendAgain, [{ field: 'createdAt', to: before }])

  return { afterRestart, tick }
}
