import { setTimeout as sleep } from 'node:timers/promises'
import { Problem } from '../../lib/core/errors.ts'
import type { Api } from '../journeys/api.ts'

const MOST_TRIES = 20

/** Asks again while the answer is 503, or storage is unavailable, as a client of a service that is in trouble does. */
export const insist = async <T>(call: () => Promise<T>): Promise<T> => {
  for (let tries = 1; tries < MOST_TRIES; tries += 1) {
    try {
      return await call()
    } catch (thrown) {
      if (!isTrouble(thrown)) throw thrown
    }
  }
  return call()
}

const isTrouble = (thrown: unknown): boolean =>
  (thrown instanceof Problem && thrown.kind === 'unavailable') ||
  (thrown instanceof Error && thrown.message.startsWith('503:'))

type Reads = Pick<Api, 'task' | 'events' | 'page' | 'queueStatus' | 'analytics'>

/** The reads of an api, insisted on. */
export const insisting = (api: Api): Api => {
  const reads: Reads = {
    task: (id) => insist(() => api.task(id)),
    events: (id) => insist(() => api.events(id)),
    page: (query, cursor) => insist(() => api.page(query, cursor)),
    queueStatus: () => insist(() => api.queueStatus()),
    analytics: () => insist(() => api.analytics()),
  }
  return { ...api, ...reads }
}

/** Probes until what is found is as it should be, or it is time to say what it is. */
export const settled = async <T>(
  mostMs: number,
  probe: () => Promise<T>,
  isDone: (found: T) => boolean,
): Promise<T> => {
  const deadline = performance.now() + mostMs
  for (let found = await probe(); ; found = await probe()) {
    if (isDone(found) || performance.now() > deadline) return found
    await sleep(500)
  }
}
