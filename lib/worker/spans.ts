import type { Tracing } from '../ports/tracing.ts'
import type { Leased } from './active.ts'
import type { Ended } from './run.ts'

/**
 * Runs attempts within the trace of the request that created the task. Where spans are exported, the wait in the queue
 * and the attempt each have a span. Both are children of the request's span, or have a trace of their own for a task
 * without a request. Names follow https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-agent-spans/.
 */
export const createAttemptSpans = ({ begin, within, isExporting }: Tracing) => {
  /**
   * Only a first attempt has a span of the wait: before a later one most of the wait is backoff, and the row does not
   * have its start; and an attempt that continues after a decision has waited for a person.
   */
  const waited = ({ id, queuedAt, trace, attempts }: Leased, isResumed: boolean): string | undefined => {
    if (!isExporting || isResumed || attempts > 1 || queuedAt === undefined) return undefined
    const span = begin({
      ...{ name: 'queue wait', kind: 'consumer', parent: trace?.traceparent ?? null },
      startMs: Date.parse(queuedAt),
      attributes: { 'task.id': id },
    })
    span.end()
    return span.traceparent
  }

  return async (task: Leased, isResumed: boolean, run: () => Promise<Ended>): Promise<Ended> => {
    const { id, agent, attempts, trace } = task
    const wait = waited(task, isResumed)
    const span = begin({
      ...{ name: `invoke_agent ${agent}`, kind: 'internal', parent: trace?.traceparent ?? wait ?? null },
      attributes: {
        ...{ 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': agent },
        ...{ 'task.id': id, 'task.attempt': attempts },
      },
    })
    const { traceparent } = span
    const ended = await within({ ...trace, ...(traceparent && { traceparent }) }, run)
    span.end({ attributes: { 'task.outcome': ended.kind }, error: errorOf(ended) })
    return ended
  }
}

const errorOf = (ended: Ended): string | undefined => {
  if (ended.kind === 'failed') return ended.error.code
  return ended.kind === 'stopped' ? ended.reason : undefined
}
