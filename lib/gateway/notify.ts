import { jsonText } from '../core/json.ts'
import { runTimeMs } from '../core/run-time.ts'
import type { AddDelivery, NewDelivery } from '../deliveries/schema.ts'
import type { Store } from '../ports/store.ts'
import type { Task } from '../tasks/schema.ts'
import { gatewayRequests, toRequestId } from './rows.ts'
import type { GatewayTasks } from './submit.ts'

type Needs = { store: Store; tasks: Pick<GatewayTasks, 'find'>; addDelivery: AddDelivery }

/** Delivers the end of a request's task to its `notifyUrl`. */
export const createNotify = ({ store, tasks, addDelivery }: Needs) => {
  /** Delivers a task's end, once: the id of the delivery derives from the end. A task that runs again has none. */
  const notify = async (taskId: string): Promise<void> => {
    const request = await store.get(gatewayRequests, toRequestId(taskId))
    if (request?.notifyUrl === undefined) return
    const task = await tasks.find(taskId)
    if (task?.completedAt === undefined) return
    const { id, notifyUrl: url, secret } = request
    await addDelivery({ ...toEvent(id, task), owner: id, url, ...(secret ? { secret } : {}) })
  }

  return { notify }
}

/**
 * The event of a task's end: `{id, event, timestamp, requestId, payload}`. A redriven task may end twice, so the id names
 * the end and not the task. `payload` has the request's id too, for receivers that forward only the payload.
 */
const toEvent = (requestId: string, task: Task): Pick<NewDelivery, 'id' | 'event' | 'body'> => {
  const timestamp = task.completedAt ?? ''
  const id = `evt_${requestId.slice(requestId.indexOf('_') + 1)}_${Date.parse(timestamp).toString(36)}`
  const event = `task.${task.status}`
  const payload = { id: task.id, title: task.title, requestId, ...outcomeDetails(task) }
  return { id, event, body: jsonText({ id, event, timestamp, requestId, payload }) }
}

const outcomeDetails = (task: Task) => {
  if (task.status === 'completed') return { result: task.result, duration: runTimeMs(task) }
  if (task.status === 'failed') return { error: task.error, attempts: task.attempts }
  return {}
}
