import { iso } from '../core/time.ts'
import { timeOfId } from '../core/ulid.ts'
import type { HeardEntry, Task, TaskEvent } from '../tasks/schema.ts'
import type { WebhookEvent } from './schema.ts'

/** What an event of a task tells. An attempt that ended, however, is an agent that finished. */
const told: Readonly<Partial<Record<TaskEvent['type'], readonly WebhookEvent[]>>> = {
  created: ['task.created'],
  started: ['agent.started'],
  completed: ['agent.finished', 'task.completed'],
  failed: ['agent.finished', 'task.failed'],
  cancelled: ['agent.finished', 'task.cancelled'],
  retrying: ['agent.finished'],
  recovered: ['agent.finished'],
}

/** The names that an event of a task may tell. */
export const toldBy = (type: TaskEvent['type']): readonly WebhookEvent[] => told[type] ?? []

/** An event for others. Its timestamp is that of the change which it tells of. */
export type Told = { event: WebhookEvent; timestamp: string; payload: object }

/** The events that an entry of a task's log tells. Nothing has run where there is no attempt. */
export const eventsOf = (task: Task, entry: HeardEntry): Told[] => {
  const timestamp = iso(timeOfId(entry.id))
  return toldBy(entry.type).flatMap((event) =>
    event === 'agent.finished' && entry.attempt === undefined
      ? []
      : [{ event, timestamp, payload: payloads[event](task, entry) }],
  )
}

const payloads: Readonly<Record<WebhookEvent, (task: Task, entry: HeardEntry) => object>> = {
  'task.created': ({ id, title, source }) => ({ id, title, status: 'queued', source }),
  'task.completed': ({ id, title, result, startedAt = '', completedAt = '' }) => ({
    ...{ id, title, result },
    duration: Math.max(0, Date.parse(completedAt) - Date.parse(startedAt)) || 0,
  }),
  // The task may have been queued again since, so what failed is told by the entry.
  'task.failed': ({ id, title, attempts }, { code = 'failed', message = '', attempt = attempts }) => ({
    ...{ id, title },
    error: { code, message },
    attempts: attempt,
  }),
  'task.cancelled': ({ id, title }) => ({ id, title }),
  'agent.started': ({ id, agent }) => ({ taskId: id, agentType: agent }),
  'agent.finished': ({ id, agent, result }, { type, message = '' }) => ({
    ...{ taskId: id, agentType: agent },
    output: type === 'completed' ? (result?.output ?? '') : message,
  }),
}
