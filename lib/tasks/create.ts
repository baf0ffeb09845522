import { invalid } from '../core/errors.ts'
import type { Principal } from '../core/principal.ts'
import { iso } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { Queue } from '../ports/queue.ts'
import type { Follower, Store } from '../ports/store.ts'
import type { Enqueue } from './enqueue.ts'
import type { Lifecycle } from './lifecycle.ts'
import type { Reconcile } from './reconcile.ts'
import { birthIn } from './remembered.ts'
import { publicTask, type TaskRow, taskEvents, tasks } from './rows.ts'
import type { CreateTask, RunTask, Task } from './schema.ts'
import { tallyOfNew } from './tally.ts'
import type { Telling } from './telling.ts'

/** The agents a task may name, and the one it gets when it names none. */
export type AgentChoice = { fallback: string; types(): readonly string[] }

type Needs = {
  store: Store
  queue: Queue<RunTask>
  lifecycle: Lifecycle
  reconcile: Reconcile
  telling: Pick<Telling, 'birth' | 'settle'>
  enqueueing: Pick<Enqueue, 'enqueue' | 'sent'>
  agents: AgentChoice
  clock: Clock
  ids: Ids
  maxAttempts: () => number
}

export type TaskCreation = ReturnType<typeof createTaskCreation>

/** How new tasks are made, stored and queued. */
export const createTaskCreation = (needs: Needs) => {
  const { store, queue, lifecycle, reconcile, telling, agents, clock, ids, maxAttempts } = needs
  const { enqueue, sent } = needs.enqueueing
  let latest = 0
  /** Creation times never step back within a process, so that newer tasks list before older ones. */
  const creationTime = () => {
    latest = Math.max(latest, clock.now())
    return iso(latest)
  }

  /** A new task as it is to be stored. Throws `agent_unknown` for one that names an agent that there is not. */
  const rowOf = (principal: Principal, body: CreateTask, retriedFrom?: string): TaskRow => {
    const agent = body.assignedAgent ?? agents.fallback
    // That the fallback is one was seen to at the start; a function that repairs knows no agents.
    if (body.assignedAgent !== undefined && !agents.types().includes(agent)) {
      const known = agents.types().join(', ')
      throw invalid(
        [{ path: 'assignedAgent', message: `is not a registered agent; there are ${known}` }],
        'agent_unknown',
      )
    }
    const at = creationTime()
    // A queue in memory cannot refuse, so both of the first steps are one write; a durable one is sent to in between.
    const first = queue.durable ? { status: 'pending' as const } : { status: 'queued' as const, queuedAt: at }
    return {
      ...body,
      id: ids.next('task'),
      ...first,
      agent,
      attempts: 0,
      maxAttempts: maxAttempts(),
      createdAt: at,
      updatedAt: at,
      createdBy: principal.userId,
      fence: 0,
      ...(retriedFrom === undefined ? {} : { retriedFrom }),
    }
  }

  /** What follows from storing it; nothing where the row says so itself. */
  const followersOf = (row: TaskRow): Follower[] => {
    if (row.born !== undefined) return []
    const events = [lifecycle.event(row.id, 'created', { message: `from ${row.source}` })]
    if (row.status === 'queued') events.push(lifecycle.event(row.id, 'queued'))
    return [...events.map((event) => ({ insert: taskEvents, row: event })), ...tallyOfNew(row)]
  }

  /** What a retry leaves in the log of the task that it retries. */
  const noteOf = ({ retriedFrom, createdBy }: TaskRow): Follower[] => {
    if (retriedFrom === undefined) return []
    const row = lifecycle.event(retriedFrom, 'retried', { message: `by ${createdBy}` })
    return [{ insert: taskEvents, row }]
  }

  /** Storage that would not say whether it took the task is asked what there is: its answer may be all that was lost. */
  const storedAfterAll = async ({ id, born }: TaskRow, refused: unknown) => {
    const row = born === undefined ? undefined : await store.get(tasks, id, true)
    if (row === undefined) throw refused
    return { applied: birthIn(row.born)?.id === birthIn(born)?.id, row, durable: Promise.resolve() }
  }

  /**
   * Stores a new task and queues it. A queue in memory is told as soon as the task is decided: whatever is decided about
   * it later is kept after it or, like it, not at all, and the caller hears of the task once it cannot be lost. A durable
   * queue is told first, so that no task that is stored as queued lacks its message; a message that is faster than its
   * task comes again. Once the task is stored nothing that follows makes this reject.
   */
  const keep = async (row: TaskRow): Promise<Task> => {
    const stored = queue.durable ? await sent(row) : row
    const followers = [...followersOf(stored), ...(stored.born === undefined ? noteOf(stored) : [])]
    // Whole, as storage has it at hand: a copy without its detail would be work for nothing.
    const outcome = await store
      .decide<TaskRow>({ insert: tasks, row: stored }, followers, true)
      .catch((thrown) => storedAfterAll(stored, thrown))
    if (outcome.applied && !queue.durable) void enqueue(row)
    await outcome.durable
    if (!outcome.applied) await telling.settle(stored.id)
    else if (stored.born !== undefined) await telling.birth(stored)
    return publicTask(outcome.applied ? stored : (outcome.row ?? stored))
  }

  // Born before it is sent: the id of its first event must be older than that of its claim.
  const create = async (principal: Principal, body: CreateTask, retriedFrom?: string): Promise<Task> =>
    keep(reconcile.born(rowOf(principal, body, retriedFrom)))

  /**
   * A task under an id that was chosen before, so that another record can name it first; throws what `create` throws. The
   * function that it returns stores and queues it, and answers the one that is there when somebody did so before.
   */
  const prepare = (principal: Principal, body: CreateTask, id: string): (() => Promise<Task>) => {
    const row = reconcile.born({ ...rowOf(principal, body), id })
    return () => keep(row)
  }

  return { create, prepare, rowOf, followersOf }
}
