import { type Connection, connect } from '../journeys/client.ts'
import { openService } from '../journeys/opened-service.ts'

/** A service with an agent that fails as tasks request, and a client of it. */
export const startWorld = async () => {
  const service = await openService({ DEFAULT_AGENT: 'moody', QUEUE_RETRY_BACKOFF_MS: '200' })
  const stop = () => service[Symbol.asyncDispose]()
  return {
    ...connect(service.baseUrl),
    baseUrl: service.baseUrl,
    stop,
    [Symbol.asyncDispose]: stop,
  } satisfies Connection & AsyncDisposable & { baseUrl: string; stop: () => Promise<void> }
}

export type World = Awaited<ReturnType<typeof startWorld>>

const MINUTE_MS = 60_000

/** Exported tasks, newest first. */
export const finishedTasks = (count: number) =>
  Array.from({ length: count }, (_, n) => {
    const at = (ms: number) =>
      new Date(Date.parse('2026-01-01T00:00:00Z') + (count - n) * MINUTE_MS + ms).toISOString()
    return {
      id: `task_import${String(n).padStart(6, '0')}`,
      title: `Imported ${n}`,
      priority: 3,
      status: n % 3 === 0 ? 'failed' : 'completed',
      source: 'api',
      labels: ['imported'],
      agent: 'moody',
      attempts: 1,
      maxAttempts: 3,
      createdAt: at(0),
      updatedAt: at(2_000),
      queuedAt: at(1),
      startedAt: at(5),
      completedAt: at(2_000),
      createdBy: 'local',
    }
  })
