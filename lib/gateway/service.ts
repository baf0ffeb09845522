import type { AddDelivery } from '../deliveries/schema.ts'
import type { Cipher } from '../ports/cipher.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { Limiter } from '../ports/limiter.ts'
import type { Outbound } from '../ports/outbound.ts'
import type { Store } from '../ports/store.ts'
import { createCompletionWaiters } from './completion-waiters.ts'
import { createRateLimit } from './limits.ts'
import type { GatewayTasks } from './needs.ts'
import { createNotify } from './notify.ts'
import { createStatus } from './status.ts'
import { createSubmit } from './submit.ts'

type Needs = {
  store: Store
  tasks: GatewayTasks
  limiter: Limiter
  callsPerMinute: number
  outbound: Outbound
  cipher: Cipher
  addDelivery: AddDelivery
  clock: Clock
  ids: Ids
}

export type Gateway = ReturnType<typeof createGateway>

/** Tasks handed in by programs: taken at once or waited for, under a workflow, with a notice of their end. */
export const createGateway = (needs: Needs) => {
  const { tasks } = needs
  const waiters = createCompletionWaiters({ ...needs, isOver: tasks.isOver })

  /** The task of a request once it has ended, or as it is when `forMs` have passed or the caller hung up. */
  const waitFor = async (taskId: string, forMs: number, signal?: AbortSignal) => {
    await waiters.wait(taskId, forMs, signal)
    return tasks.find(taskId)
  }

  return {
    /** Counts a request against its token's limits; throws Problem `rate_limited`. */
    count: createRateLimit(needs),
    submit: createSubmit(needs),
    waitFor,
    status: createStatus(needs),
    /** Resumes the requests that wait in this process for a task, which has ended. */
    complete: waiters.complete,
    /** Answers the requests that wait, since the process is about to end. */
    release: waiters.release,
    ...createNotify(needs),
  }
}
