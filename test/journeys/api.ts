import { setTimeout as sleep } from 'node:timers/promises'
import type { Task, TaskEvent } from '../../lib/tasks/schema.ts'
import { promisedFetch } from '../api/promise.ts'

export type Answer<T> = { status: number; body: T }
export type TaskPage = { tasks: Task[]; total: number; nextCursor?: string }
export type Analytics = {
  totalTasks: number
  avgDurationMs: number
  minDurationMs: number
  maxDurationMs: number
  byStatus: Record<string, number>
  byPriority: Record<string, number>
  byAgent: Record<string, number>
  daily: { created: number; completed: number; failed: number }[]
}
type QueueStatus = { queues: { tasks: Record<string, number> }; deadLetterQueue: Record<string, number> }

/** One request, its answer taken to be what the caller expects of it. */
export const ask = async <T>(
  url: string,
  method = 'GET',
  body?: unknown,
  headers = {},
): Promise<Answer<T>> => {
  const response = await promisedFetch(url, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: (await response.json()) as T }
}

const okBody = async <T>(answer: Promise<Answer<T>>): Promise<T> => {
  const { status, body } = await answer
  if (status >= 300) throw new Error(`${status}: ${JSON.stringify(body)}`)
  return body
}

/** What these tests ask of a service; anything but a success throws. */
export const taskApi = (baseUrl: string) => {
  const call = <T>(path: string, method?: string, body?: unknown) =>
    okBody(ask<T>(`${baseUrl}/api/${path}`, method, body))
  const task = async (id: string) => (await call<{ task: Task }>(`tasks/${id}`)).task
  const queueStatus = () => call<QueueStatus>('queue/status')
  return {
    task,
    queueStatus,
    create: async (body: object) => (await call<{ task: Task }>('tasks', 'POST', body)).task,
    events: async (id: string) => (await call<{ events: TaskEvent[] }>(`tasks/${id}/events`)).events,
    cancel: async (id: string) => (await call<{ task: Task }>(`tasks/${id}/cancel`, 'POST')).task,
    importTasks: async (tasks: readonly object[]) =>
      (await call<{ results: unknown }>('tasks/import', 'POST', { version: '1.0', tasks })).results,
    analytics: () => call<Analytics>('tasks/analytics'),
    page: (query: string, cursor?: string) =>
      call<TaskPage>(`tasks?${query}${cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`}`),
    /** Resolves when the task is in one of these states. */
    untilTask: (id: string, ...statuses: Task['status'][]) =>
      until(async () => {
        const found = await task(id)
        return statuses.includes(found.status) ? found : undefined
      }),
    /** Resolves when no task waits or runs. */
    untilIdle: () =>
      until(async () => {
        const { pending = 0, queued = 0, inProgress = 0 } = (await queueStatus()).queues.tasks
        return pending + queued + inProgress === 0 || undefined
      }),
  }
}

export type Api = ReturnType<typeof taskApi>

const ANSWERED_WITHIN_MS = 60_000

/** Asks again until there is an answer. Throws after a minute: a test that has failed must not go on asking. */
export const until = async <T>(probe: () => Promise<T | undefined> | T | undefined): Promise<T> => {
  for (
    const deadline = performance.now() + ANSWERED_WITHIN_MS;
    performance.now() < deadline;
    await sleep(20)
  ) {
    const found = await probe()
    if (found !== undefined) return found
  }
  throw new Error(`Nothing that was waited for came within ${ANSWERED_WITHIN_MS} ms`)
}

/** Every page of the task list, by cursor. */
export async function* taskPages(api: Api, query = 'limit=200'): AsyncGenerator<TaskPage> {
  let cursor: string | undefined
  do {
    const page = await api.page(query, cursor)
    yield page
    cursor = page.nextCursor
  } while (cursor !== undefined)
}
