import { Problem } from '../core/errors.ts'
import { iso } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Outcome } from '../ports/store.ts'
import type { Lifecycle, Move } from './lifecycle.ts'
import type { TaskRow } from './rows.ts'
import type { RunTask } from './schema.ts'

type Needs = {
  lifecycle: Lifecycle
  queue: { readonly durable: boolean }
  /** Makes up for what a death left out, of a task that a message comes too late for. */
  overtaken: (taskId: string) => Promise<void>
  clock: Clock
  leaseMs: number
}

/** A claimed task. `durable` resolves when a death of the process cannot undo the claim, and rejects when it is void. */
export type Claim = { task: TaskRow; durable: Promise<void> }

/** How a worker takes a queued task: the attempt is counted, the fencing number grows, the lease begins. */
export const createClaims = ({ lifecycle, queue, overtaken, clock, leaseMs }: Needs) => {
  const moveOf = ({ taskId, attempt }: RunTask): Move => ({
    taskId,
    from: 'queued',
    verb: 'start',
    when: { attempts: attempt - 1 },
    add: { fence: 1, attempts: 1 },
    set: { startedAt: iso(clock.now()), leaseExpiresAt: clock.now() + leaseMs },
    unset: ['nextAttemptAt'],
  })

  /** A durable queue may deliver before the sender has stored the task as queued: the message must not be used up by that. */
  const isEarly = ({ attempt }: RunTask, { applied, row }: Outcome<TaskRow>): boolean =>
    !applied && (row === undefined ? queue.durable : isComing(row, attempt))

  const claimed = async (message: RunTask, outcome: Outcome<TaskRow>): Promise<TaskRow | undefined> => {
    const { applied, row } = outcome
    if (applied) return row && queue.durable ? held(row) : row
    if (isEarly(message, outcome)) throw notQueuedYet(message)
    if (queue.durable) await overtaken(message.taskId)
    return undefined
  }

  return {
    /**
     * Claims a queued task for the attempt that the message names. Resolves to undefined when there is nothing to run:
     * cancelled, claimed already, or a message that comes twice. Throws Problem `unavailable` for a task not queued yet.
     */
    claim: async (message: RunTask): Promise<Claim | undefined> => {
      const task = await claimed(message, await lifecycle.move(moveOf(message)))
      return task && { task, durable: Promise.resolve() }
    },

    /** As `claim`, but resolves once the claim is decided: a death before it is durable leaves the attempt uncounted. */
    claimAhead: async (message: RunTask): Promise<Claim | undefined> => {
      const outcome = await lifecycle.moveAhead(moveOf(message))
      // A refusal may stand on a decision that never became durable; then the message has to come again.
      if (!outcome.applied) await outcome.durable
      const task = await claimed(message, outcome)
      return task && { task, durable: outcome.durable }
    },
  }
}

const notQueuedYet = ({ taskId }: RunTask) =>
  new Problem('unavailable', 'task_not_queued_yet', `${taskId} is not queued yet; its message comes again`)

/**
 * Whether a row that stood in the way of a claim is on its way to it. Storage may refuse a claim for want of the row and
 * answer the row that was stored a moment later: then it is the very one that the message waits for.
 */
const isComing = ({ status, attempts }: TaskRow, attempt: number): boolean =>
  (status === 'pending' && attempts < attempt) || (status === 'queued' && attempts === attempt - 1)

/** What a worker has of a row: not what is remembered there of writes. */
const held = ({ born: _born, last: _last, ...task }: TaskRow): TaskRow => task
