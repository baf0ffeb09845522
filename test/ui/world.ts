import { type Connection, connect } from '../journeys/client.ts'
import { moodyWorld } from '../journeys/moody.ts'
import { type Service, startService } from '../journeys/service.ts'

/** A started service with an agent that fails as tasks request. */
export const startWorld = async () => {
  const world = moodyWorld({ QUEUE_RETRY_BACKOFF_MS: '200' })
  const service = await startService({ env: world.env, mostMs: 300_000 })
  const stop = async () => {
    await service[Symbol.asyncDispose]()
    world[Symbol.dispose]()
  }
  return {
    ...connect(service.baseUrl),
    baseUrl: service.baseUrl,
    service,
    stop,
    [Symbol.asyncDispose]: stop,
  } satisfies Connection & AsyncDisposable & { baseUrl: string; service: Service; stop: () => Promise<void> }
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
