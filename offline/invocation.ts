import { setTimeout as sleep } from 'node:timers/promises'
import type { InvocationContext } from '../lib/adapters/aws/sqs/sqs-batch.ts'

type Context = InvocationContext & { awsRequestId: string }
export type FunctionHandler<Event> = (event: Event, context: Context) => Promise<unknown>

/**
 * Invokes a function as Lambda does, with its remaining time. Rejects when it throws, and when its time is up, although
 * its work may continue here; Lambda would freeze it.
 */
export const createInvocations = <Event>(handler: FunctionHandler<Event>, timeoutMs: number) => {
  let invocations = 0
  return async (event: Event): Promise<unknown> => {
    invocations += 1
    const endsAt = performance.now() + timeoutMs
    const context = {
      awsRequestId: `offline-${invocations}`,
      getRemainingTimeInMillis: () => Math.max(0, Math.round(endsAt - performance.now())),
    }
    const done = new AbortController()
    const timeUp = sleep(timeoutMs, undefined, { signal: done.signal }).then(
      () => Promise.reject(new Error(`The function timed out after ${timeoutMs} ms`)),
      () => undefined,
    )
    try {
      return await Promise.race([handler(event, context), timeUp])
    } finally {
      done.abort()
    }
  }
}
