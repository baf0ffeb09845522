import type { Task } from '../tasks/schema.ts'

type Ended = Pick<Task, 'id' | 'title' | 'status' | 'attempts'> &
  Partial<Pick<Task, 'result' | 'error' | 'startedAt' | 'completedAt'>>

/** An event as it is sent: `body` is the whole envelope, and the same whenever it is made of the same end. */
export type Envelope = { id: string; event: string; body: string }

/**
 * The event that tells of a task's end: `{id, event, timestamp, requestId, payload}`. A task that was given back to the
 * queue from its dead letter may end twice, so the id names the end, not the task. `payload` says the request as well,
 * for receivers that hand on nothing else.
 */
export const envelopeOf = (requestId: string, task: Ended): Envelope => {
  const timestamp = task.completedAt ?? ''
  const id = `evt_${requestId.slice(requestId.indexOf('_') + 1)}_${Date.parse(timestamp).toString(36)}`
  const event = `task.${task.status}`
  const payload = { id: task.id, title: task.title, requestId, ...detailsOf(task) }
  return { id, event, body: JSON.stringify({ id, event, timestamp, requestId, payload }) }
}

const detailsOf = (task: Ended) => {
  if (task.status === 'completed') return { result: task.result, duration: durationOf(task) }
  if (task.status === 'failed') return { error: task.error, attempts: task.attempts }
  return {}
}

const durationOf = ({ startedAt = '', completedAt = '' }: Ended): number =>
  Math.max(0, Date.parse(completedAt) - Date.parse(startedAt)) || 0
