import { pagesOf } from '../core/pages.ts'
import type { AddDelivery, NewDelivery } from '../deliveries/schema.ts'
import type { Store } from '../ports/store.ts'
import type { Task } from '../tasks/schema.ts'
import { type GatewayRequest, gatewayRequests, requestIdOf } from './rows.ts'
import type { GatewayTasks } from './submit.ts'

type Needs = { store: Store; tasks: Pick<GatewayTasks, 'find' | 'watch'>; addDelivery: AddDelivery }

const PAGE = 100

/** The deliveries that tell the `notifyUrl` of a request how its task ended. */
export const createNotify = ({ store, tasks, addDelivery }: Needs) => {
  /**
   * Handles the notice that a task has ended. Its delivery has an id that follows from the end, so that a repeated notice
   * makes no second one. Adds none where the request names no `notifyUrl` or the task runs again.
   */
  const notify = async (taskId: string): Promise<void> => {
    const request = await store.get(gatewayRequests, requestIdOf(taskId))
    if (request?.notifyUrl === undefined) return
    const task = await tasks.find(taskId)
    if (task?.completedAt === undefined) return
    const { id, notifyUrl: url, secret } = request
    await addDelivery({ ...eventOf(id, task), owner: id, url, ...(secret ? { secret } : {}) })
  }

  const adopt = async ({ id, taskId }: GatewayRequest): Promise<void> => {
    if (!(await tasks.watch(taskId))) await notify(taskId)
    await store.commit<GatewayRequest>({ update: gatewayRequests, key: id, unset: ['openSince'] })
  }

  return {
    notify,
    /**
     * Takes over the requests that the release before left open in a data file: a task that goes on sends its notice from
     * now on, for one that has ended the delivery is added. To be called before a worker starts; does nothing where it
     * was done before.
     */
    adoptOpenRequests: async (): Promise<void> => {
      const open = { index: 'open', order: 'asc', limit: PAGE } as const
      for await (const rows of pagesOf((from) => store.page(gatewayRequests, { ...open, ...from })))
        await Promise.all(rows.map(adopt))
    },
  }
}

/**
 * The event of a task's end: `{id, event, timestamp, requestId, payload}`. A task that was given back to the
 * queue from its dead letter may end twice, so the id names the end, not the task. `payload` names the request as well,
 * for receivers that pass on nothing else.
 */
const eventOf = (requestId: string, task: Task): Pick<NewDelivery, 'id' | 'event' | 'body'> => {
  const timestamp = task.completedAt ?? ''
  const id = `evt_${requestId.slice(requestId.indexOf('_') + 1)}_${Date.parse(timestamp).toString(36)}`
  const event = `task.${task.status}`
  const payload = { id: task.id, title: task.title, requestId, ...detailsOf(task) }
  return { id, event, body: JSON.stringify({ id, event, timestamp, requestId, payload }) }
}

const detailsOf = (task: Task) => {
  if (task.status === 'completed') return { result: task.result, duration: durationOf(task) }
  if (task.status === 'failed') return { error: task.error, attempts: task.attempts }
  return {}
}

const durationOf = ({ startedAt = '', completedAt = '' }: Task): number =>
  Math.max(0, Date.parse(completedAt) - Date.parse(startedAt)) || 0
