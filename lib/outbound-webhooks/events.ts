import { runTimeMs } from '../core/run-time.ts'
import { iso } from '../core/time.ts'
import { timeOfId } from '../core/ulid.ts'
import type { EmittedEntry, Task, TaskEvent } from '../tasks/schema.ts'
import type { WebhookEvent } from './schema.ts'

/** The webhook events of an event of a task. At each end of an attempt its agent has finished. */
const names: Readonly<Partial<Record<TaskEvent['type'], readonly WebhookEvent[]>>> = {
  created: ['task.created'],
  started: ['agent.started'],
  completed: ['agent.finished', 'task.completed'],
  failed: ['agent.finished', 'task.failed'],
  cancelled: ['agent.finished', 'task.cancelled'],
  retrying: ['agent.finished'],
  recovered: ['agent.finished'],
}

/** The webhook events that an event of a task may cause. */
export const eventNames = (type: TaskEvent['type']): readonly WebhookEvent[] => names[type] ?? []

/** An event for webhooks. Its timestamp is that of the change that caused it. */
type EmittedEvent = { event: WebhookEvent; timestamp: string; payload: object }

/** The webhook events of an entry in a task's log. Without an attempt no agent ran. */
export const toEvents = (task: Task, entry: EmittedEntry): EmittedEvent[] => {
  const timestamp = iso(timeOfId(entry.id))
  return eventNames(entry.type).flatMap((event) =>
    event === 'agent.finished' && entry.attempt === undefined
      ? []
      : [{ event, timestamp, payload: payloads[event](task, entry) }],
  )
}

const payloads: Readonly<Record<WebhookEvent, (task: Task, entry: EmittedEntry) => object>> = {
  'task.created': ({ id, title, source }) => ({ id, title, status: 'queued', source }),
  'task.completed': ({ id, title, result, ...times }) => ({ id, title, result, duration: runTimeMs(times) }),
  // The task may have been queued again since, so the failure comes from the entry.
  'task.failed': ({ id, title, attempts }, { code = 'failed', message = '', attempt = attempts }) => ({
    id,
    title,
    error: { code, message },
    attempts: attempt,
  }),
  'task.cancelled': ({ id, title }) => ({ id, title }),
  'agent.started': ({ id, agent }) => ({ taskId: id, agentType: agent }),
  'agent.finished': ({ id, agent, result }, { type, message = '' }) => ({
    taskId: id,
    agentType: agent,
    output: type === 'completed' ? (result?.output ?? '') : message,
  }),
}
