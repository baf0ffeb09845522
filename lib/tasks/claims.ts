import { Problem } from '../core/errors.ts'
import { iso } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Outcome } from '../ports/store.ts'
import type { Lifecycle, Move } from './lifecycle.ts'
import type { TaskRow } from './rows.ts'
import type { RunTask } from './schema.ts'

type Needs = { lifecycle: Lifecycle; queue: { readonly durable: boolean }; clock: Clock; leaseMs: number }

/** A claimed task. `durable` resolves when a death of the process cannot undo the claim, and rejects when it is void. */
export type Claim = { task: TaskRow; durable: Promise<void> }

/** How a worker takes a queued task: the attempt is counted, the fencing number grows, the lease begins. */
export const createClaims = ({ lifecycle, queue, clock, leaseMs }: Needs) => {
  const moveOf = ({ taskId, attempt }: RunTask): Move => ({
    taskId,
    from: 'queued',
    verb: 'start',
    when: { attempts: attempt - 1 },
    add: { fence: 1, attempts: 1 },
    set: { startedAt: iso(clock.now()), leaseExpiresAt: clock.now() + leaseMs },
    unset: ['nextAttemptAt'],
    event: (claimed) => ({ agent: claimed.agent, attempt: claimed.attempts, ...workflowOf(claimed) }),
  })

  /** A durable queue may deliver before the sender has stored the task as queued: the message must not be used up by that. */
  const claimed = ({ taskId, attempt }: RunTask, { applied, row }: Outcome<TaskRow>): TaskRow | undefined => {
    if (applied) return row
    const isEarly = row === undefined ? queue.durable : isComing(row, attempt)
    if (isEarly)
      throw new Problem(
        'unavailable',
        'task_not_queued_yet',
        `${taskId} is not queued yet; its message comes again`,
      )
    return undefined
  }

  return {
    /**
     * Claims a queued task for the attempt that the message names. Resolves to undefined when there is nothing to run:
     * cancelled, claimed already, or a message that comes twice. Throws Problem `unavailable` for a task not queued yet.
     */
    claim: async (message: RunTask): Promise<Claim | undefined> => {
      const task = claimed(message, await lifecycle.move(moveOf(message)))
      return task && { task, durable: Promise.resolve() }
    },

    /** As `claim`, but resolves once the claim is decided: a death before it is durable leaves the attempt uncounted. */
    claimAhead: async (message: RunTask): Promise<Claim | undefined> => {
      const outcome = await lifecycle.moveAhead(moveOf(message))
      // A refusal may stand on a decision that never became durable; then the message has to come again.
      if (!outcome.applied) await outcome.durable
      const task = claimed(message, outcome)
      return task && { task, durable: outcome.durable }
    },
  }
}

/**
 * Whether a row that stood in the way of a claim is on its way to it. Storage may refuse a claim for want of the row and
 * answer the row that was stored a moment later: then it is the very one that the message waits for.
 */
const isComing = ({ status, attempts }: TaskRow, attempt: number): boolean =>
  (status === 'pending' && attempts < attempt) || (status === 'queued' && attempts === attempt - 1)

/** A gateway's workflow shows in the started event, as it does in the task's metadata. */
const workflowOf = ({ metadata }: TaskRow) =>
  typeof metadata?.workflow === 'string' ? { metadata: { workflow: metadata.workflow } } : {}
