import type { AddDelivery } from '../deliveries/schema.ts'
import type { Cipher } from '../ports/cipher.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { Limiter } from '../ports/limiter.ts'
import type { Log } from '../ports/log.ts'
import type { Outbound } from '../ports/outbound.ts'
import type { Store } from '../ports/store.ts'
import type { Task } from '../tasks/schema.ts'
import { createEnds } from './ends.ts'
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
  log: Log
}

export type Gateway = ReturnType<typeof createGateway>

/** Tasks handed in by programs: taken at once or waited for, under a workflow, with word of their end. */
export const createGateway = (needs: Needs) => {
  const { tasks, clock } = needs
  const ends = createEnds({ isOver: tasks.isOver, clock })
  const { ended, repair, reopen } = createNotify(needs)
  const submit = createSubmit(needs)

  /** The task of a request once it has ended, or as it is when `forMs` have passed or the caller hung up. */
  const waitFor = async (taskId: string, forMs: number, signal?: AbortSignal) => {
    await ends.wait(taskId, forMs, signal)
    return tasks.find(taskId)
  }

  return {
    /** Counts a request against its token's limits; throws Problem `rate_limited`. */
    count: createRateLimit(needs),
    submit,
    waitFor,
    status: createStatus(needs),
    /** Hears that a task has ended: those who wait for it go on, and whoever wanted to be notified will be. */
    ended: async (task: Task): Promise<void> => {
      ends.tell(task.id)
      await ended(task)
    },
    repair,
    reopen,
    /** Lets those who wait have their answer now: the process is about to end. */
    release: ends.release,
  }
}
