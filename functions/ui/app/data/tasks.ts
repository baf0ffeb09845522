import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import {
  continued,
  isEnd,
  isReadBackDue,
  lastOfRun,
  newestIn,
  placeIn,
} from '../../../../lib/api/task-log.ts'
import { isFinal, type TaskStatus } from '../../../../lib/tasks/machine.ts'
import type { TaskEvent } from '../../../../lib/tasks/schema.ts'
import { client } from './client.ts'
import { EVERY_MS, useLive } from './live.ts'
import { serverNow } from './server-clock.ts'
import { isStreaming, LOGS, WORK } from './streaming.ts'

/** What narrows the list of tasks: names of the filter endpoint's query. */
export const FILTER_NAMES = [
  ...['q', 'status', 'priority', 'source', 'agent', 'labels', 'repository', 'createdAfter', 'createdBefore'],
  ...['completedAfter', 'completedBefore', 'sortBy', 'sortOrder'],
] as const
export type Filters = Readonly<Record<string, string>>
type Query = NonNullable<NonNullable<Parameters<typeof client.filterTasks>[0]>['query']>

const FOUND = 8

/** The address may say anything: what does not fit is refused by the service, and shown as that. */
const filterQuery = (filters: Filters) => filters as Query

export const tasksKey = ['tasks'] as const

/** Asks for a page of the tasks that fit. */
export const askForTasks =
  (filters: Filters) => (page: { limit: number; cursor?: string }, signal: AbortSignal) =>
    client.filterTasks({ query: { ...filterQuery(filters), ...page } }, { signal })

/** The newest tasks with these words, for the palette. */
export const foundTasks = (words: string) =>
  queryOptions({
    queryKey: [...tasksKey, 'found', words],
    queryFn: ({ signal }) =>
      client.filterTasks({ query: { limit: FOUND, ...(words ? { q: words } : {}) } }, { signal }),
  })

/** Those of a state that came first. */
const withStatus = (status: TaskStatus, limit: number, signal: AbortSignal) =>
  client.filterTasks({ query: { status: [status], limit, sortOrder: 'asc' } }, { signal })

const NEXT = 4

/** What runs, and what waits behind it, the oldest of each. */
export const useActiveTasks = () =>
  useLive(
    queryOptions({
      queryKey: [...tasksKey, 'active'],
      queryFn: async ({ signal }) => {
        const [running, queued] = await Promise.all([
          withStatus('in_progress', FOUND, signal),
          withStatus('queued', NEXT, signal),
        ])
        return { running, queued }
      },
    }),
    EVERY_MS.list,
  )

/** How many tasks there are, and whether one of the newest has a repository. */
export const useFirstTasks = () =>
  useLive(
    queryOptions({
      queryKey: [...tasksKey, 'first'],
      queryFn: async ({ signal }) => {
        const { tasks, total } = await client.listTasks(
          { query: { limit: FOUND, fields: ['repository'] } },
          { signal },
        )
        return { total, hasRepository: tasks.some(({ repository }) => repository !== undefined) }
      },
    }),
    EVERY_MS.calm,
  )

/** A task, polled often until it has ended; after that it may still be retried from elsewhere. */
export const useTask = (id: string) =>
  useLive(
    queryOptions({
      queryKey: [...tasksKey, 'one', id],
      queryFn: async ({ signal }) => (await client.getTask({ params: { id } }, { signal })).task,
    }),
    (task) => (task && isFinal(task.status) ? EVERY_MS.calm : EVERY_MS.running),
  )

/** Whether a log has the end of its task, which may be stored a moment after the task; an imported task has no log. */
const hasRunEnd = (events: readonly TaskEvent[] | undefined) => {
  const last = lastOfRun(events ?? [])
  return last === undefined || isEnd(last)
}

/** No event is stored so long after the newest one of a task that has ended. */
const SETTLED_MS = 120_000
/** The log that was last read from further back than its newest event, and when. */
let readBack = { id: '', at: 0 }

const isSettled = (known: readonly TaskEvent[], isOver: boolean) =>
  isOver && serverNow() - Date.parse(known.at(-1)?.timestamp ?? '') > SETTLED_MS

/** What is known of a log, and what is new in it: what comes after its newest event, now and then what may have come late. */
const goOn = async (
  id: string,
  known: readonly TaskEvent[],
  isOver: boolean,
  signal: AbortSignal,
): Promise<TaskEvent[]> => {
  const isDue = readBack.id !== id || isReadBackDue(readBack.at, Date.now())
  const isBack = known.length === 0 || (isDue && !isSettled(known, isOver))
  const after = isBack ? placeIn(known) : newestIn(known)
  const { events } = await client.taskEvents({ params: { id }, query: after ? { after } : {} }, { signal })
  if (isBack) readBack = { id, at: Date.now() }
  return continued(known, after, events)
}

/** What happened to a task so far, oldest first. After the first time only what is new is asked for. */
export const useTaskEvents = (id: string, isOver: boolean) => {
  const queryKey = [LOGS, id]
  return useLive(
    queryOptions({
      queryKey,
      queryFn: ({ signal, client: queries }) =>
        goOn(id, queries.getQueryData<TaskEvent[]>(queryKey) ?? [], isOver, signal),
    }),
    (events) => {
      if (isOver && !hasRunEnd(events)) return EVERY_MS.running
      if (!isStreaming.get()) return isOver ? EVERY_MS.calm : EVERY_MS.running
      // An event after the end of a task is a change of it. In mode `pro` an event about progress may be lost with its process.
      return isOver ? false : EVERY_MS.calm
    },
  )
}

/** A change of tasks; views of tasks and dead letters are read again when it is over. */
const useChange = <Given, Answer>(change: (given: Given) => Promise<Answer>) => {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: change,
    // A retry resolves the dead letter of its task.
    onSettled: () => {
      for (const topic of WORK) void queries.invalidateQueries({ queryKey: [topic] })
    },
  })
}

export type NewTask = Parameters<typeof client.createTask>[0]['body']

/** A new task. The same body under the same key is one task, however often it was sent. */
export const useCreateTask = () =>
  useChange(({ body, key }: { body: NewTask; key: string }) =>
    client.createTask({ body }, { headers: { 'idempotency-key': key } }),
  )

export const useCancelTask = () => useChange((id: string) => client.cancelTask({ params: { id } }))
export const useRetryTask = () => useChange((id: string) => client.retryTask({ params: { id } }))

type Exported = Parameters<typeof client.importTasks>[0]['body']

/** Restores the tasks of an export; what the file is worth, the service decides. */
export const useImportTasks = () =>
  useChange(async (file: File) => client.importTasks({ body: JSON.parse(await file.text()) as Exported }))
