import { missing } from '../core/errors.ts'
import type { Principal } from '../core/principal.ts'
import type { Store } from '../ports/store.ts'
import type { Task } from '../tasks/schema.ts'
import type { GatewayStatus } from './contract.ts'
import type { GatewayTasks } from './needs.ts'
import { gatewayRequests } from './rows.ts'

type Needs = { store: Store; tasks: Pick<GatewayTasks, 'find' | 'lastProgress'> }

/** Of a request whose process died before it stored the task, which the release before could leave. */
const NOT_CREATED = {
  code: 'task_not_created',
  message: 'The service stopped before it had stored the task; send the request again',
}

/** How a request stands, which is how its task does. Throws Problem `missing` for requests of others. */
export const createStatus =
  ({ store, tasks }: Needs) =>
  async ({ userId }: Principal, requestId: string): Promise<GatewayStatus> => {
    const request = await store.get(gatewayRequests, requestId)
    if (request?.userId !== userId) throw missing('Request')
    const { taskId, workflow, createdAt } = request
    const [task, progress] = await Promise.all([tasks.find(taskId), tasks.lastProgress(taskId)])
    return {
      ...{ requestId, taskId, workflow, createdAt },
      progress: progress ?? null,
      ...(task ? stateOf(task) : { status: 'failed', error: NOT_CREATED, updatedAt: createdAt }),
    }
  }

const stateOf = ({ status, updatedAt, ...task }: Task) => ({
  status,
  ...outcomeOf({ status, ...task }),
  updatedAt,
})

/** The result of a task that was completed, or the error of one that failed; one that goes on has neither yet. */
export const outcomeOf = ({
  status,
  result,
  error,
}: Pick<Task, 'status'> & Partial<Pick<Task, 'result' | 'error'>>) => {
  if (status === 'completed') return result === undefined ? {} : { result }
  return status === 'failed' && error !== undefined ? { error } : {}
}
