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
