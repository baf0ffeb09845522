import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError } from '../../lib/api/api-error.ts'
import { createClient } from '../../lib/api/client.ts'
import { routes } from '../../lib/api/routes.ts'
import { isFinal } from '../../lib/tasks/machine.ts'
import type { Task, TaskEvent } from '../../lib/tasks/schema.ts'
import { promisedFetch } from '../api/promise.ts'
import { until } from './api.ts'
import { isOffline } from './service.ts'

/** What shows counts, which follow within two seconds in the cloud. */
const COUNTED = /\/api\/(?:queue\/status|tasks\/analytics|health\/detailed)(?:\?|$)/
const FOLLOWS_WITHIN_MS = 2_000

const fetchCounted: typeof promisedFetch = async (input, init) => {
  if (isOffline && COUNTED.test(String(input))) await sleep(FOLLOWS_WITHIN_MS)
  return promisedFetch(input, init)
}

/** The typed client, which fails for an answer that breaks its promise, and the few things that every journey asks it for. */
export const connect = (baseUrl: string, headers: Readonly<Record<string, string>> = {}) => {
  const client = createClient(routes, { baseUrl, headers, fetch: fetchCounted })
  const create = async (body: Parameters<typeof client.createTask>[0]['body']) =>
    (await client.createTask({ body })).task
  const task = async (id: string) => (await client.getTask({ params: { id } })).task
  const events = async (id: string) => (await client.taskEvents({ params: { id } })).events
  const isTold = async ({ id, status }: Task) =>
    !isFinal(status) || eventTypes(await events(id)).some((type) => type === status)
  /** Resolves when the task is in one of these states; and when that is an end, its log, written after it, tells so. */
  const untilTask = (id: string, ...statuses: Task['status'][]) =>
    until(async () => {
      const found = await task(id)
      const isThere = statuses.includes(found.status) && (await isTold(found))
      return isThere ? found : undefined
    })
  return {
    client,
    create,
    task,
    untilTask,
    events,
    /** Creates a task and resolves to what it is once it has ended. */
    perform: async (body: Parameters<typeof create>[0]) =>
      untilTask((await create(body)).id, 'completed', 'failed', 'cancelled'),
  }
}

export type Connection = ReturnType<typeof connect>

export const eventTypes = (events: readonly TaskEvent[]) => events.map(({ type }) => type)

/** What the service said to a call that it refused. Throws when it did not. */
export const apiError = async (call: Promise<unknown>): Promise<ApiError> => {
  const thrown = await call.then(
    (answer) => new Error(`This was answered: ${JSON.stringify(answer)}`),
    (error: unknown) => error,
  )
  if (thrown instanceof ApiError) return thrown
  throw thrown
}
