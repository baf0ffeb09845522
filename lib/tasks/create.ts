import { createHash } from 'node:crypto'
import { invalid } from '../core/errors.ts'
import type { Principal } from '../core/principal.ts'
import { iso } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { Queue } from '../ports/queue.ts'
import type { Follower, Store } from '../ports/store.ts'
import type { Enqueue } from './enqueue.ts'
import type { Lifecycle } from './lifecycle.ts'
import { createReplays, publicTask, type TaskRow, taskEvents, tasks } from './rows.ts'
import type { CreateTask, RunTask, Task } from './schema.ts'
import { tallyOfNew } from './tally.ts'

/** The agents a task may name, and the one it gets when it names none. */
export type AgentChoice = { fallback: string; types(): readonly string[] }

type Needs = {
  store: Store
  queue: Queue<RunTask>
  lifecycle: Lifecycle
  enqueueing: Pick<Enqueue, 'enqueue' | 'sent'>
  agents: AgentChoice
  clock: Clock
  ids: Ids
  maxAttempts: () => number
}

const REPLAY_MS = 24 * 3_600_000

export const createTaskCreation = ({
  store,
  queue,
  lifecycle,
  enqueueing: { enqueue, sent },
  agents,
  clock,
  ids,
  maxAttempts,
}: Needs) => {
  let latest = 0
  /** Creation times never step back within a process, so that newer tasks list before older ones. */
  const creationTime = () => {
    latest = Math.max(latest, clock.now())
    return iso(latest)
  }

  const rowOf = (principal: Principal, body: CreateTask, retriedFrom?: string): TaskRow => {
    const agent = body.assignedAgent ?? agents.fallback
    if (!agents.types().includes(agent)) {
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

  const followersOf = (row: TaskRow): Follower[] => {
    const events = [lifecycle.event(row.id, 'created', { message: `from ${row.source}` })]
    if (row.status === 'queued') events.push(lifecycle.event(row.id, 'queued'))
    return [...events.map((event) => ({ insert: taskEvents, row: event })), ...tallyOfNew(row)]
  }

  /**
   * Stores a new task and queues it. A queue in memory is told as soon as the task is decided: whatever is decided about
   * it later is kept after it or, like it, not at all, and the caller hears of the task once it cannot be lost. A durable
   * queue is told first, so that no task that is stored as queued lacks its message; a message that is faster than its
   * task comes again.
   */
  const create = async (
    principal: Principal,
    body: CreateTask,
    retriedFrom?: string,
    also: Follower[] = [],
  ): Promise<Task> => {
    const row = rowOf(principal, body, retriedFrom)
    const stored = queue.durable ? await sent(row) : row
    const { durable } = await store.decide<TaskRow>({ insert: tasks, row: stored }, [
      ...followersOf(stored),
      ...also,
    ])
    if (!queue.durable) void enqueue(row)
    await durable
    return publicTask(stored)
  }

  /**
   * As `create`, once per key: within 24 hours the same key and body answers the first task again, another body is
   * refused. The record of the key and the task are one write, so a duplicate in flight finds either both or none.
   */
  const createOnce = async (principal: Principal, body: CreateTask, key: string) => {
    const row = rowOf(principal, body)
    const replay = {
      key: `${principal.userId}:${key}`,
      bodyHash: createHash('sha256').update(JSON.stringify(body)).digest('hex'),
      task: publicTask(row),
      expiresAt: clock.now() + REPLAY_MS,
    }
    const followers = [{ insert: tasks, row }, ...followersOf(row)]
    const { applied, row: earlier } = await store.commit(
      { insert: createReplays, row: replay },
      followers,
      true,
    )
    if (applied) {
      await enqueue(row)
      // The task as it was stored, which is what every replay answers too.
      return { task: replay.task, replayed: false }
    }
    if (earlier?.bodyHash !== replay.bodyHash) {
      throw invalid(
        [{ path: 'idempotency-key', message: 'was already used with another body' }],
        'idempotency_key_reused',
      )
    }
    return { task: earlier.task, replayed: true }
  }

  return { create, createOnce }
}
