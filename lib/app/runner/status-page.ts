import { once } from 'node:events'
import { createServer } from 'node:http'
import { badSetting } from '../../core/bad-setting.ts'
import { errorMessage } from '../../core/errors.ts'
import type { Clock } from '../../ports/clock.ts'

/** A runner makes a request at least every 25 s: one that failed may have come between. */
const LONGEST_SILENCE_MS = 60_000

type RunnerHealth = { status: 'ok' | 'not_registered' | 'disconnected'; silentMs?: number }
type RunnerStatus = RunnerHealth & { runner: string; running: string[] }

/** Whether a runner is registered, and how long its service has not answered. */
export const createRunnerHealth = (clock: Pick<Clock, 'monotonic'>) => {
  let answeredAt: number | undefined
  return {
    noteAnswer: () => {
      answeredAt = clock.monotonic()
    },
    read: (isRegistered: boolean): RunnerHealth => {
      if (!isRegistered || answeredAt === undefined) return { status: 'not_registered' }
      const silentMs = Math.round(clock.monotonic() - answeredAt)
      return { status: silentMs <= LONGEST_SILENCE_MS ? 'ok' : 'disconnected', silentMs }
    },
  }
}

/**
 * Answers `GET /healthz` on loopback with the status: 200 for `ok`, else 503. Resolves to the verb that ends it. Throws
 * Problem `bad_setting` for a port that it cannot have.
 */
export const openStatusPage = async (
  port: number,
  read: () => RunnerStatus,
): Promise<() => Promise<void>> => {
  const server = createServer(({ method, url }, response) => {
    const isAsked = method === 'GET' && url === '/healthz'
    const status = isAsked ? read() : { status: 'not_found' }
    response.writeHead(status.status === 'ok' ? 200 : isAsked ? 503 : 404, {
      'content-type': 'application/json',
      'cache-control': 'no-store',
    })
    response.end(`${JSON.stringify(status)}\n`)
  })
  try {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
  } catch (thrown) {
    throw badSetting(`--status-port: ${errorMessage(thrown)}`)
  }
  return async () => {
    server.closeAllConnections()
    await new Promise<void>((resolve) => void server.close(() => resolve()))
  }
}
