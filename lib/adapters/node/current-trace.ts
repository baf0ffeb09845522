import { AsyncLocalStorage } from 'node:async_hooks'
import type { RunningTrace } from '../../ports/tracing.ts'

/** One for the process, as the chain of asynchronous calls is that it follows. */
const running = new AsyncLocalStorage<RunningTrace>()

export const currentTrace = (): RunningTrace | undefined => running.getStore()

export const withinTrace = <T>(trace: RunningTrace, work: () => T): T => running.run(trace, work)

/** By these a receiver finds the request that its own came from. */
export const traceHeaders = (): Record<string, string> => {
  const { requestId, traceparent } = running.getStore() ?? {}
  return {
    ...(requestId === undefined ? {} : { 'x-request-id': requestId }),
    ...(traceparent === undefined ? {} : { traceparent }),
  }
}

/** The fetch of Node, with those headers. */
export const tracedFetch: typeof fetch = (input, init) => {
  const added = Object.entries(traceHeaders())
  if (added.length === 0) return fetch(input, init)
  const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined))
  for (const [name, value] of added) if (!headers.has(name)) headers.set(name, value)
  return fetch(input, { ...init, headers })
}
