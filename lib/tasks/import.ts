import * as z from 'zod'
import { messageOf } from '../core/errors.ts'
import { issueText } from '../core/issue-text.ts'
import type { Principal } from '../core/principal.ts'
import { iso } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Follower, Store } from '../ports/store.ts'
import type { AgentChoice } from './create.ts'
import type { Enqueue } from './enqueue.ts'
import type { Lifecycle } from './lifecycle.ts'
import { isFinal } from './machine.ts'
import type { ImportBody, ImportResults } from './queries.ts'
import type { Reconcile } from './reconcile.ts'
import { type TaskRow, taskEvents, tasks } from './rows.ts'
import { CreateTaskSchema, TaskSchema } from './schema.ts'
import { tallyOfEnded, tallyOfNew } from './tally.ts'
import type { Telling } from './telling.ts'

// Times are stored in one form, of equal length, so that texts sort as times do.
const time = z.iso.datetime().transform((text) => iso(Date.parse(text)))

/** Names of endpoints beside `/api/tasks/{id}`; a task of that name could never be read. */
const TAKEN = new Set(['filter', 'analytics', 'export', 'import'])

/** What an id may be here, and as part of the name of a workspace. */
const ImportedId = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/,
    'must be 1 to 100 letters, digits, _ or -, and begin with neither',
  )
  .refine((id) => !TAKEN.has(id), 'is the name of an endpoint')

/** A task of an export. What an older export lacks is filled in; what is there must be right. */
const ImportedTask = TaskSchema.extend(CreateTaskSchema.shape)
  .partial({ agent: true, createdBy: true })
  .extend({
    id: ImportedId,
    attempts: z.int().min(0).optional(),
    maxAttempts: z.int().min(1).max(100).optional(),
    createdAt: time,
    updatedAt: time.optional(),
    queuedAt: time.optional(),
    startedAt: time.optional(),
    completedAt: time.optional(),
    nextAttemptAt: time.optional(),
  })

type Needs = {
  store: Store
  lifecycle: Lifecycle
  reconcile: Pick<Reconcile, 'born'>
  telling: Pick<Telling, 'birth'>
  queue: { readonly durable: boolean }
  enqueueing: Pick<Enqueue, 'enqueue'>
  agents: AgentChoice
  clock: Clock
  maxAttempts: () => number
}
type Outcome = 'imported' | 'skipped' | { index: number; id?: string; message: string }

const CHUNK = 200

export const createTaskImport = (needs: Needs) => {
  const { store, lifecycle, reconcile, telling, queue, enqueueing, agents, clock, maxAttempts } = needs
  /** Ids and times are kept. A task that had ended is restored as it was; any other is queued from the start. */
  const rowOf = (principal: Principal, task: z.output<typeof ImportedTask>): TaskRow => {
    const whole: TaskRow = {
      ...task,
      agent: task.agent ?? task.assignedAgent ?? agents.fallback,
      attempts: task.attempts ?? 0,
      maxAttempts: task.maxAttempts ?? maxAttempts(),
      createdBy: task.createdBy ?? principal.userId,
      updatedAt: task.updatedAt ?? iso(clock.now()),
      fence: 0,
    }
    if (isFinal(task.status)) return whole
    const { startedAt: _started, completedAt: _completed, nextAttemptAt: _next, ...fresh } = whole
    const { queuedAt: _queued, ...unsent } = fresh
    return queue.durable
      ? { ...unsent, status: 'pending', attempts: 0 }
      : { ...unsent, status: 'queued', queuedAt: iso(clock.now()), attempts: 0 }
  }

  const followersOf = (row: TaskRow): Follower[] => {
    if (row.born !== undefined) return []
    const event = lifecycle.event(row.id, row.status === 'queued' ? 'queued' : 'created', {
      message: 'imported',
    })
    return [{ insert: taskEvents, row: event }, ...tallyOfNew(row), ...tallyOfEnded(row)]
  }

  const importOne = async (principal: Principal, given: unknown, index: number): Promise<Outcome> => {
    const parsed = ImportedTask.safeParse(given, { error: issueText })
    if (!parsed.success) return { index, ...idOf(given), message: issuesOf(parsed.error) }
    const row = reconcile.born(rowOf(principal, parsed.data), iso(clock.now()))
    try {
      const { applied } = await store.commit<TaskRow>({ insert: tasks, row }, followersOf(row))
      // One that could not be told stays pending: the tick that queues it tells it first.
      const isTold = applied && (await telling.birth(row))
      if (isTold && !isFinal(row.status)) await enqueueing.enqueue(row)
      return applied ? 'imported' : 'skipped'
    } catch (thrown) {
      return { index, id: row.id, message: messageOf(thrown) }
    }
  }

  /** Restores an export. An id that exists is skipped; a task that does not fit is named and the rest goes on. */
  return async (
    principal: Principal,
    body: z.output<typeof ImportBody>,
  ): Promise<z.output<typeof ImportResults>> => {
    const outcomes: Outcome[] = []
    for (let at = 0; at < body.tasks.length; at += CHUNK) {
      const chunk = body.tasks.slice(at, at + CHUNK)
      outcomes.push(...(await Promise.all(chunk.map((task, n) => importOne(principal, task, at + n)))))
    }
    return {
      imported: outcomes.filter((outcome) => outcome === 'imported').length,
      skipped: outcomes.filter((outcome) => outcome === 'skipped').length,
      errors: outcomes.filter((outcome) => typeof outcome === 'object'),
    }
  }
}

const idOf = (given: unknown) =>
  typeof given === 'object' && given !== null && 'id' in given && typeof given.id === 'string'
    ? { id: given.id.slice(0, 128) }
    : {}

const issuesOf = (error: z.ZodError) =>
  error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ')
