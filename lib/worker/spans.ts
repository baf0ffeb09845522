import type { Tracing } from '../ports/tracing.ts'
import type { RunTask } from '../tasks/schema.ts'
import type { Leased } from './active.ts'
import type { Ended } from './run.ts'

type Waited = Pick<RunTask, 'since' | 'due'>

/**
 * Runs attempts within the trace of the request that created the task. Where spans are exported, the backoff before the
 * attempt, the wait in the queue and the attempt each have a span. All are children of the request's span, or have a trace
 * of their own for a task without a request. Names follow https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-agent-spans/.
 */
export const createAttemptSpans = ({ begin, within, isExporting }: Tracing) => {
  /**
   * The times are those of the message: the claim removes them from the row. The message of an attempt that continues
   * after a decision has none: it has waited for a person.
   */
  const waited = ({ id, trace, attempts }: Leased, { since, due }: Waited): string | undefined => {
    if (!isExporting || since === undefined) return undefined
    const attributes = { 'task.id': id, 'task.attempt': attempts }
    let parent = trace?.traceparent ?? null
    let startMs = Date.parse(since)
    if (due !== undefined && Date.parse(due) > startMs) {
      const backoff = begin({ name: 'backoff', kind: 'internal', parent, startMs, attributes })
      startMs = Date.parse(due)
      backoff.end({ endMs: startMs })
      parent ??= backoff.traceparent ?? null
    }
    const wait = begin({ name: 'queue wait', kind: 'consumer', parent, startMs, attributes })
    wait.end()
    return wait.traceparent
  }

  return async (task: Leased, message: Waited, run: () => Promise<Ended>): Promise<Ended> => {
    const { id, agent, attempts, trace } = task
    const wait = waited(task, message)
    const span = begin({
      name: `invoke_agent ${agent}`,
      kind: 'internal',
      parent: trace?.traceparent ?? wait ?? null,
      attributes: {
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.agent.name': agent,
        'task.id': id,
        'task.attempt': attempts,
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
