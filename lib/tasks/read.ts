import type { LogEntry } from '../core/collection.ts'
import { invalid, missing } from '../core/errors.ts'
import { iso } from '../core/time.ts'
import { placeBefore, successorOf, timeOfId } from '../core/ulid.ts'
import type { Feed, FeedEntry } from '../ports/feed.ts'
import type { Store } from '../ports/store.ts'
import { isFinal } from './machine.ts'
import type { TaskEventsRange } from './queries.ts'
import { publicTask, tasks, ticketOf, ticketTasks } from './rows.ts'
import { type Task, type TaskEvent, type TaskLogEntry, type TaskRow, TaskSourceSchema } from './schema.ts'

type Needs = { store: Store; feed: Pick<Feed, 'read' | 'last'> }
type ProgressData = Pick<TaskEvent, 'message' | 'attempt'>

/** The stream of what the agent of a task says of its progress. */
export const progressOf = (taskId: string): string => `task:${taskId}`

/** Reads of single tasks. */
export const createTaskReads = ({ store, feed }: Needs) => {
  const load = async (id: string): Promise<TaskRow> => {
    const row = await store.get(tasks, id, true)
    if (!row) throw missing('Task')
    return row
  }

  const get = async (id: string): Promise<Task> => publicTask(await load(id))

  /** The whole task; undefined when there is none. */
  const find = async (id: string): Promise<Task | undefined> => {
    const row = await store.get(tasks, id, true)
    return row && publicTask(row)
  }

  /** The newest task that was made of a ticket; undefined when there is none. */
  const newestOfTicket = async (source: string, sourceId: string): Promise<Task | undefined> => {
    const known = TaskSourceSchema.safeParse(source)
    if (!known.success || sourceId === '') return undefined
    const { rows } = await store.page(ticketTasks, {
      ...{ index: 'ofTicket', is: ticketOf(known.data, sourceId), order: 'desc', limit: 1 },
    })
    return rows[0] && find(rows[0].taskId)
  }

  const exists = async (id: string): Promise<boolean> => (await store.get(tasks, id)) !== undefined

  /** Whether it has ended; undefined when there is none. */
  const isOver = async (id: string): Promise<boolean | undefined> => {
    const row = await store.get(tasks, id)
    return row && isFinal(row.status)
  }

  /** The last thing that its agent said of its progress. */
  const lastProgress = async (id: string): Promise<string | undefined> => {
    const entry = await feed.last(progressOf(id))
    return entry && (entry.data as ProgressData).message
  }

  /**
   * What happened to a task, in order: its log and the progress of its runs, from the beginning or `after` an event, all of
   * it or as much as `limit`. Of the progress, which may be long, no more is read than is answered. Throws Problem `missing`,
   * and `invalid` for an event that the task does not have.
   */
  const events = async (id: string, { after, limit = Number.POSITIVE_INFINITY }: TaskEventsRange = {}) => {
    const task = await load(id)
    const [log, progress] = await Promise.all([
      store.log(tasks, id),
      feed.read(progressOf(id), { ...(after && { after: placeBefore(after) }), limit: limit + 1 }),
    ])
    const logged = log.flatMap((entry) => eventsOf(task, entry)).filter((event) => event.id >= (after ?? ''))
    const all = [...logged, ...progress.map((entry) => progressEvent(task, entry))].sort(byId)
    // The first is the one that was named: it is read again to see that it is there.
    if (after !== undefined && all.shift()?.id !== after)
      throw invalid([{ path: 'after', message: 'is not an event of this task' }])
    const shown = all.slice(0, limit)
    return { taskId: id, events: shown, count: shown.length }
  }

  return { load, get, find, newestOfTicket, exists, isOver, lastProgress, events }
}

/**
 * The events that an entry of a task's log stands for, as the API shows them. A new task is queued as it is created: its
 * entry says no more than that and stands for both. One with a message is of an import or an earlier version.
 */
const eventsOf = (task: TaskRow, entry: LogEntry): TaskEvent[] => {
  const { id, type, attempt, emitted: _emitted, ...more } = entry as TaskLogEntry & LogEntry
  const event = (eventId: string, of: TaskEvent['type'], own: Partial<TaskEvent> = {}): TaskEvent => ({
    ...{ id: eventId, taskId: task.id, type: of, timestamp: iso(timeOfId(id)) },
    ...own,
  })
  if (type === 'created' && more.message === undefined)
    return [event(id, type, { message: `from ${task.source}` }), event(successorOf(id), 'queued')]
  const run = attempt === undefined ? {} : { agent: task.agent, attempt }
  return [event(id, type, { ...run, ...(type === 'started' ? startedBy(task) : {}), ...more })]
}

/** A gateway's workflow shows in the start of its task, as it does in the metadata. */
const startedBy = ({ metadata }: TaskRow) =>
  typeof metadata?.workflow === 'string' ? { metadata: { workflow: metadata.workflow } } : {}

const progressEvent = (task: TaskRow, { id, at, data }: FeedEntry): TaskEvent => ({
  id,
  taskId: task.id,
  type: 'progress',
  timestamp: at,
  agent: task.agent,
  ...(data as ProgressData),
})

const byId = (a: TaskEvent, b: TaskEvent) => (a.id < b.id ? -1 : 1)
