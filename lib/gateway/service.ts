import { missing, refuseEarly } from '../core/errors.ts'
import type { Principal } from '../core/principal.ts'
import type { Limiter } from '../limits/limiter.ts'
import type { Store } from '../ports/store.ts'
import type { Task } from '../tasks/schema.ts'
import { createCompletionWaiters } from './completion-waiters.ts'
import type { GatewayStatus } from './contract.ts'
import { createNotify } from './notify.ts'
import { gatewayRequests } from './rows.ts'
import { createSubmit, type GatewayTasks } from './submit.ts'

type RateLimitNeeds = { limiter: Limiter; callsPerMinute: number }

const BURST = { name: 'gateway.burst', calls: 10, windowMs: 1_000 }
const MINUTE_MS = 60_000

/**
 * Counts one request of a token, also one that is refused later: at most the token's own limit, or else the service's, in
 * a minute, and 10 in a second. Throws Problem `rate_limited` when either is exceeded.
 */
const createRateLimit = ({ limiter, callsPerMinute }: RateLimitNeeds) => {
  return async ({ tokenId = '', callsPerMinute: own = callsPerMinute }: Principal): Promise<void> => {
    const waits = await Promise.all([
      limiter.take({ name: 'gateway.minute', calls: own, windowMs: MINUTE_MS }, tokenId),
      limiter.take(BURST, tokenId),
    ])
    const limits = `at most ${own} a minute and ${BURST.calls} a second`
    refuseEarly(Math.max(...waits), `Too many requests with this token. The limit is ${limits}`)
  }
}

type StatusNeeds = { store: Store; tasks: Pick<GatewayTasks, 'find' | 'lastProgress'> }

/** The status of a request, from its task. Throws Problem `missing` for requests of others. */
const createStatus =
  ({ store, tasks }: StatusNeeds) =>
  async ({ userId }: Principal, requestId: string): Promise<GatewayStatus> => {
    const request = await store.get(gatewayRequests, requestId)
    if (request?.userId !== userId) throw missing('Request')
    const { taskId, workflow, createdAt } = request
    const [task, progress] = await Promise.all([tasks.find(taskId), tasks.lastProgress(taskId)])
    if (task === undefined) throw new Error(`The task of ${requestId} does not exist`)
    return { requestId, taskId, workflow, createdAt, progress: progress ?? null, ...toState(task) }
  }

const toState = ({ status, updatedAt, ...task }: Task) => ({
  status,
  ...outcomeFields({ status, ...task }),
  updatedAt,
})

/** The result of a completed task, or the error of a failed one; an unfinished task has neither. */
export const outcomeFields = ({
  status,
  result,
  error,
}: Pick<Task, 'status'> & Partial<Pick<Task, 'result' | 'error'>>) => {
  if (status === 'completed') return result === undefined ? {} : { result }
  return status === 'failed' && error !== undefined ? { error } : {}
}

type Needs = RateLimitNeeds &
  Parameters<typeof createSubmit>[0] &
  Parameters<typeof createNotify>[0] & {
    tasks: GatewayTasks
    /** The longest wait of a request for its task: the caller then gets the state before a proxy gives up. */
    longestWaitMs?: number
  }

export type Gateway = ReturnType<typeof createGateway>

/** Tasks from programs: answered at once or at the end, under a workflow, with a notice of the end. */
export const createGateway = (needs: Needs) => {
  const { tasks, longestWaitMs = Number.POSITIVE_INFINITY } = needs
  const waiters = createCompletionWaiters({ ...needs, isOver: tasks.isOver })

  /** The task of a request at its end, or when its wait is over or the caller disconnected. */
  const waitFor = async (taskId: string, forMs: number, signal?: AbortSignal) => {
    await waiters.wait(taskId, Math.min(forMs, longestWaitMs), signal)
    return tasks.find(taskId)
  }

  return {
    count: createRateLimit(needs),
    submit: createSubmit(needs),
    waitFor,
    status: createStatus(needs),
    complete: waiters.complete,
    /** Answers the waiting requests, since the process is about to end. */
    release: waiters.release,
    ...createNotify(needs),
  }
}
