import { queryOptions } from '@tanstack/react-query'
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
import { useChange } from './change.ts'
import { client } from './client.ts'
import { EVERY_MS, useLive } from './live.ts'
import { queryClient } from './query-client.ts'
import { serverNow } from './server-clock.ts'
import { isStreaming, LOGS, WORK } from './streaming.ts'

/** Query parameters of the filter endpoint. */
export const FILTER_NAMES = [
  ...['q', 'status', 'priority', 'source', 'agent', 'labels', 'repository', 'branch', 'createdBy'],
  ...['createdAfter', 'createdBefore', 'completedAfter', 'completedBefore', 'sortBy', 'sortOrder'],
] as const
export type Filters = Readonly<Record<string, string>>
type Query = NonNullable<NonNullable<Parameters<typeof client.filterTasks>[0]>['query']>

const FOUND = 8

/** Filters come from the address; the service rejects invalid ones. */
const filterQuery = (filters: Filters) => filters as Query

export const tasksKey = ['tasks'] as const

export const askForTasks =
  (filters: Filters) => (page: { limit: number; cursor?: string }, signal: AbortSignal) =>
    client.filterTasks({ query: { ...filterQuery(filters), ...page } }, { signal })

/** Of so many newest matches those with the words in their title are taken. */
const TITLES_READ = 100
const MOST_TITLES = 5

type Filtered = Awaited<ReturnType<typeof client.filterTasks>>['tasks'][number]
type Found = Pick<Filtered, 'id' | 'title' | 'status' | 'waitingFor' | 'match'>

const findTitles = async (words: string, signal: AbortSignal): Promise<Found[]> => {
  const query = { q: words, limit: TITLES_READ, fields: ['title', 'status', 'waitingFor'] } as const
  const { tasks } = await client.listTasks({ query: { ...query, fields: [...query.fields] } }, { signal })
  const wanted = words.toLowerCase().split(/\s+/)
  const hasAll = (title: string) => wanted.every((word) => title.toLowerCase().includes(word))
  return tasks
    .flatMap(({ id, title, status, waitingFor }) =>
      title !== undefined && status !== undefined && hasAll(title) ? [{ id, title, status, waitingFor }] : [],
    )
    .slice(0, MOST_TITLES)
}

const findTasks = async (words: string, signal: AbortSignal): Promise<{ tasks: Found[]; total: number }> => {
  const [titled, { tasks, total }] = await Promise.all([
    words === '' ? [] : findTitles(words, signal),
    client.filterTasks({ query: { limit: FOUND, ...(words ? { q: words } : {}) } }, { signal }),
  ])
  const others = tasks.filter(({ id }) => titled.every((one) => one.id !== id))
  return { tasks: [...titled, ...others].slice(0, FOUND), total }
}

/** For the command palette: the tasks with the words in their title, then those with the words in another text, each the newest first. */
export const foundTasks = (words: string) =>
  queryOptions({
    queryKey: [...tasksKey, 'found', words],
    queryFn: ({ signal }) => findTasks(words, signal),
  })

const withStatus = (status: TaskStatus, limit: number, signal: AbortSignal) =>
  client.filterTasks({ query: { status: [status], limit, sortOrder: 'asc' } }, { signal })

const NEXT = 4

/** Oldest first. */
export const useActiveTasks = () =>
  useLive(
    [...tasksKey, 'active'],
    async (signal) => {
      const [running, queued] = await Promise.all([
        withStatus('in_progress', FOUND, signal),
        withStatus('queued', NEXT, signal),
      ])
      return { running, queued }
    },
    EVERY_MS.list,
  )

export const useFirstTasks = () =>
  useLive(
    [...tasksKey, 'first'],
    async (signal) => {
      const { tasks, total } = await client.listTasks(
        { query: { limit: FOUND, fields: ['repository'] } },
        { signal },
      )
      return { total, hasRepository: tasks.some(({ repository }) => repository !== undefined) }
    },
    EVERY_MS.calm,
  )

export const SAMPLE_LABEL = 'sample'

/** Whether there are tasks beside the samples; undefined until that is known. */
export const useHasOwnTasks = (enabled: boolean) =>
  useLive(
    [...tasksKey, 'own'],
    async (signal) => {
      const [all, samples] = await Promise.all([
        client.filterTasks({ query: { limit: 1 } }, { signal }),
        client.filterTasks({ query: { limit: 1, labels: [SAMPLE_LABEL] } }, { signal }),
      ])
      return all.total > samples.total
    },
    EVERY_MS.calm,
    { enabled },
  ).data

/** Polled slowly after the end: it may be retried elsewhere. */
export const useTask = (id: string) =>
  useLive(
    [...tasksKey, 'one', id],
    async (signal) => (await client.getTask({ params: { id } }, { signal })).task,
    (task) => (task && isFinal(task.status) ? EVERY_MS.calm : EVERY_MS.running),
  )

/** The end may be stored after the task. Imported tasks have no log. */
const hasRunEnd = (events: readonly TaskEvent[] | undefined) => {
  const last = lastOfRun(events ?? [])
  return last === undefined || isEnd(last)
}

/** No event is stored this long after the newest one of an ended task. */
const SETTLED_MS = 120_000
let readBack = { id: '', at: 0 }

const isSettled = (known: readonly TaskEvent[], isOver: boolean) =>
  isOver && serverNow() - Date.parse(known.at(-1)?.timestamp ?? '') > SETTLED_MS

/** Reads what follows the newest event, and at intervals from further back, for events that were stored late. */
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

/** Oldest first, loaded incrementally. */
export const useTaskEvents = (id: string, isOver: boolean) => {
  const queryKey = [LOGS, id]
  return useLive(
    queryKey,
    (signal) => goOn(id, queryClient.getQueryData<TaskEvent[]>(queryKey) ?? [], isOver, signal),
    (events) => {
      if (isOver && !hasRunEnd(events)) return EVERY_MS.running
      if (!isStreaming.get()) return isOver ? EVERY_MS.calm : EVERY_MS.running
      // An event after the end changes the task. In `pro`, a progress event may be lost with its process.
      return isOver ? false : EVERY_MS.calm
    },
  )
}

export type NewTask = Parameters<typeof client.createTask>[0]['body']

/** The same body and key create one task. */
export const useCreateTask = () =>
  useChange(
    ({ body, key }: { body: NewTask; key: string }) =>
      client.createTask({ body }, { headers: { 'idempotency-key': key } }),
    ...WORK,
  )

type Exported = Parameters<typeof client.importTasks>[0]['body']

/** The service validates the file. */
export const useImportTasks = () =>
  useChange(
    async (file: File) => client.importTasks({ body: JSON.parse(await file.text()) as Exported }),
    ...WORK,
  )
