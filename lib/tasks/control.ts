import { missing, Problem } from '../core/errors.ts'
import { pagesOf } from '../core/pages.ts'
import type { Principal } from '../core/principal.ts'
import { iso } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Store } from '../ports/store.ts'
import type { createTaskCreation } from './create.ts'
import type { Lifecycle } from './lifecycle.ts'
import { isFinal, nextStatus } from './machine.ts'
import type { Reconcile } from './reconcile.ts'
import { publicTask, type TaskRow, taskEvents, tasks } from './rows.ts'
import { CreateTaskSchema, type Task, type TaskEvent } from './schema.ts'

type Needs = {
  store: Store
  lifecycle: Lifecycle
  reconcile: Pick<Reconcile, 'settle'>
  creation: ReturnType<typeof createTaskCreation>
  /** Tells a run of this process that its task was cancelled. */
  stopRun: (taskId: string) => void
  clock: Clock
}

export const createTaskControl = (needs: Needs) => {
  const { store, lifecycle, reconcile, creation, stopRun, clock } = needs
  const load = async (id: string): Promise<TaskRow> => {
    const row = await store.get(tasks, id, true)
    if (!row) throw missing('Task')
    return row
  }

  const get = async (id: string): Promise<Task> => publicTask(await load(id))

  const exists = async (id: string): Promise<boolean> => (await store.get(tasks, id)) !== undefined

  /** Everything that happened to a task, in order. */
  const events = async (id: string) => {
    await load(id)
    const all: TaskEvent[] = []
    const selection = { index: 'ofTask', is: id, order: 'asc', limit: 1_000 } as const
    for await (const rows of pagesOf((from) => store.page(taskEvents, { ...selection, ...from })))
      all.push(...rows)
    return { taskId: id, events: all, count: all.length }
  }

  /** Cancels a task that is not over yet; a run of it is told to stop. Throws `task_state_conflict` when it is over. */
  const cancel = async (principal: Principal, id: string): Promise<Task> => {
    let row = await load(id)
    // The state may move between the read and the write; every loss of that race is progress of the task.
    while (nextStatus(row.status, 'cancel')) {
      await reconcile.settle(id)
      const { applied, row: standing } = await lifecycle.move({
        taskId: id,
        from: row.status,
        verb: 'cancel',
        // It may have come back to this state by way of others since, and what brought it back would not be told.
        when: { last: row.last ?? null },
        set: { completedAt: iso(clock.now()) },
        unset: ['leaseExpiresAt', 'nextAttemptAt'],
        event: { message: `by ${principal.userId}` },
        mayOwe: true,
      })
      if (!standing) throw missing('Task')
      if (applied) {
        stopRun(id)
        return publicTask(standing)
      }
      row = standing
    }
    throw conflict(`A task that is ${row.status} cannot be cancelled`)
  }

  /** Creates and queues a new task with the same parameters as one that is over. */
  const retry = async (principal: Principal, id: string): Promise<Task> => {
    const row = await load(id)
    if (!isFinal(row.status)) {
      throw conflict(`A task that is ${row.status} cannot be retried; cancel it first or wait for it to end`)
    }
    return creation.create(principal, CreateTaskSchema.parse(row), id)
  }

  return { get, exists, events, cancel, retry }
}

const conflict = (message: string) => new Problem('invalid', 'task_state_conflict', message)
