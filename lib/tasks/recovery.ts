import type { Clock } from '../ports/clock.ts'
import type { Queue } from '../ports/queue.ts'
import type { Position, Store } from '../ports/store.ts'
import type { Enqueue } from './enqueue.ts'
import type { TaskStatus } from './machine.ts'
import { type TaskRow, tasks } from './rows.ts'
import type { createRuns } from './runs.ts'
import type { RunTask } from './schema.ts'

type Needs = {
  store: Store
  queue: Queue<RunTask>
  enqueueing: Enqueue
  runs: Pick<ReturnType<typeof createRuns>, 'recover'>
  clock: Clock
}

const PAGE = 1_000
/** Whoever makes a task pending sends its message within moments; one that is pending for longer was left there. */
const PENDING_GRACE_MS = 10_000

/** Puts back on its way what a death or a refusal left lying. */
export const createRecovery = ({ store, queue, enqueueing: { enqueue, messageFor }, runs, clock }: Needs) => {
  /** All tasks of a status, oldest first; the walk survives tasks leaving the status behind it. */
  async function* inStatus(status: TaskStatus): AsyncGenerator<TaskRow[]> {
    let after: Position | undefined
    do {
      const page = await store.page(tasks, {
        index: 'byStatus',
        is: status,
        order: 'asc',
        limit: PAGE,
        ...(after ? { after } : {}),
      })
      yield page.rows
      after = page.next
    } while (after)
  }

  /**
   * Once at the start of the only process on this data: every lease in it belongs to the dead, and a queue in memory
   * is empty.
   */
  const afterRestart = async (): Promise<{ resent: number; recovered: number }> => {
    let resent = 0
    let recovered = 0
    for await (const rows of inStatus('queued')) {
      await queue.send(rows.map(messageFor))
      resent += rows.length
    }
    for await (const rows of inStatus('pending')) await Promise.all(rows.map((row) => enqueue(row)))
    for await (const rows of inStatus('in_progress')) {
      await Promise.all(rows.map((row) => runs.recover(row)))
      recovered += rows.length
    }
    return { resent, recovered }
  }

  /** Each tick: leases that ran out (but for the tasks that `isRunningHere`), and tasks that the queue has not got yet. */
  const tick = async (isRunningHere: (taskId: string) => boolean): Promise<void> => {
    const now = clock.now()
    for await (const rows of inStatus('in_progress')) {
      const abandoned = rows.filter((row) => (row.leaseExpiresAt ?? 0) < now && !isRunningHere(row.id))
      await Promise.all(abandoned.map((row) => runs.recover(row)))
    }
    for await (const rows of inStatus('pending')) {
      const forgotten = rows.filter((row) => Date.parse(row.updatedAt) < now - PENDING_GRACE_MS)
      await Promise.all(forgotten.map((row) => enqueue(row)))
    }
  }

  return { afterRestart, tick }
}
