import type { LogEntry } from '../core/collection.ts'
import { existing, invalid } from '../core/errors.ts'
import { webhookCreator } from '../core/principal.ts'
import { iso } from '../core/time.ts'
import { timeOfId } from '../core/ulid.ts'
import type { Feed, FeedEntry } from '../feed/feed.ts'
import type { Store } from '../ports/store.ts'
import type { TaskEventsRange } from './contract.ts'
import { isFinal, TASK_STATUSES } from './machine.ts'
import { tasks, ticketKey, ticketTasks } from './rows.ts'
import {
  publicTask,
  type Task,
  type TaskEvent,
  type TaskLogEntry,
  type TaskRow,
  TaskSourceSchema,
} from './schema.ts'
import type { WithWaits } from './waits.ts'

type Needs = { store: Store; feed: Pick<Feed, 'read' | 'last' | 'has'>; withWaits: WithWaits }
type ProgressData = Pick<TaskEvent, 'message' | 'attempt'>

const UNFINISHED = TASK_STATUSES.filter((status) => !isFinal(status))
/** The most tasks of an issue that are read per status; an issue has few. */
const LOOKED_AT = 50

export const progressStream = (taskId: string): string => `task:${taskId}`

export const createTaskReads = ({ store, feed, withWaits }: Needs) => {
  const load = async (id: string): Promise<TaskRow> => existing(await store.get(tasks, id, true), 'Task')

  const get = async (id: string): Promise<Task> => {
    const [row] = await withWaits([await load(id)])
    return publicTask(existing(row, 'Task'))
  }

  /** The whole task; undefined when it does not exist. */
  const find = async (id: string): Promise<Task | undefined> => {
    const row = await store.get(tasks, id, true)
    return row && publicTask(row)
  }

  /** The task without its detail; undefined when it does not exist. */
  const summary = async (id: string) => {
    const row = await store.get(tasks, id)
    return row && publicTask(row)
  }

  /** The newest task of a ticket; undefined when there is none. */
  const newestOfTicket = async (source: string, sourceId: string): Promise<Task | undefined> => {
    if (!TaskSourceSchema.safeParse(source).success || sourceId === '') return undefined
    const query = { index: 'ofTicket', is: ticketKey(source, sourceId), order: 'desc', limit: 1 } as const
    const { rows } = await store.page(ticketTasks, query)
    return rows[0] && find(rows[0].taskId)
  }

  /** The unfinished task that succeeds an ended one of the same issue: a retry, or an earlier one that was redriven. */
  const unfinishedLike = async (id: string): Promise<Task | undefined> => {
    const { source, sourceId } = (await find(id)) ?? {}
    if (source === undefined || sourceId === undefined) return undefined
    const where = [
      { field: 'source', in: [source] },
      { field: 'sourceId', in: [sourceId] },
    ] as const
    const selection = { index: 'byStatus', where, order: 'desc', limit: LOOKED_AT } as const
    const pages = await Promise.all(UNFINISHED.map((is) => store.page(tasks, { ...selection, is })))
    const rows = pages.flatMap((page) => page.rows)
    // A task that a user created may name any source: it is no task of the issue, and its sender must not see it.
    const row = rows.find(
      ({ retriedFrom, createdBy }) => retriedFrom !== undefined || createdBy === webhookCreator(source),
    )
    return row && find(row.id)
  }

  const exists = async (id: string): Promise<boolean> => (await store.get(tasks, id)) !== undefined

  /** Whether the task has ended; undefined when it does not exist. */
  const isOver = async (id: string): Promise<boolean | undefined> => {
    const row = await store.get(tasks, id)
    return row && isFinal(row.status)
  }

  const lastProgress = async (id: string): Promise<string | undefined> => {
    const entry = await feed.last(progressStream(id))
    return entry && (entry.data as ProgressData).message
  }

  /**
   * The events of a task in order: its log and the progress of its runs, from the beginning or `after` an event. It
   * reads no more progress than it answers. Throws Problem `missing`, and `invalid` for an unknown event.
   */
  const events = async (id: string, { after, limit = Number.POSITIVE_INFINITY }: TaskEventsRange = {}) => {
    const task = await load(id)
    const [log, progress, isProgress] = await Promise.all([
      store.log(tasks, id),
      feed.read(progressStream(id), { ...(after && { after }), limit }),
      after === undefined ? false : feed.has(progressStream(id), after),
    ])
    if (after !== undefined && !isProgress && !log.some((entry) => entry.id === after))
      throw invalid([{ path: 'after', message: 'is not an event of this task' }])
    const logged = log.filter((entry) => entry.id > (after ?? '')).map((entry) => loggedEvent(task, entry))
    const events = [...logged, ...progress.map((entry) => progressEvent(task, entry))].sort(byId)
    const page = events.slice(0, limit)
    return { taskId: id, events: page, count: page.length }
  }

  return { load, get, find, summary, newestOfTicket, exists, isOver, unfinishedLike, lastProgress, events }
}

/** What the log says of the source of a task; nothing of those that people make. */
const origins = {
  codehost: { message: 'from GitHub' },
  trackera: { message: 'from Jira' },
  trackerb: { message: 'from Linear' },
  cron: { message: 'from a schedule' },
  api: {},
} as const satisfies Record<TaskRow['source'], object>

/** An entry of the log as the API shows it. */
const loggedEvent = (task: TaskRow, entry: LogEntry): TaskEvent => {
  const { id, type, attempt, emitted: _emitted, ...more } = entry as TaskLogEntry & LogEntry
  const run = attempt === undefined ? {} : { agent: task.agent, attempt }
  return {
    id,
    taskId: task.id,
    type,
    timestamp: iso(timeOfId(id)),
    ...run,
    ...(type === 'created' ? origins[task.source] : {}),
    ...(type === 'started' ? startedBy(task) : {}),
    ...(type === 'cancelled' && attempt !== undefined ? attemptCost(task) : {}),
    ...more,
  }
}

/** A cancel is written before its run has ended, whose cost the row has. */
const attemptCost = ({ attemptCost: cost }: TaskRow) => (cost === undefined ? {} : { metadata: { cost } })

/** The started event of a gateway's task names its workflow, as the metadata does. */
const startedBy = ({ metadata }: TaskRow) =>
  typeof metadata?.workflow === 'string' ? { metadata: { workflow: metadata.workflow } } : {}

/** Its time is that of its id, which was made when the agent reported: the entry may be written after the end of the run. */
const progressEvent = (task: TaskRow, { id, data }: FeedEntry): TaskEvent => ({
  id,
  taskId: task.id,
  type: 'progress',
  timestamp: iso(timeOfId(id)),
  agent: task.agent,
  ...(data as ProgressData),
})

const byId = (a: TaskEvent, b: TaskEvent) => (a.id < b.id ? -1 : 1)
