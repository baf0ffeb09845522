import type { Cost } from '../core/cost.ts'
import { definedFields } from '../core/defined-fields.ts'
import type { Tracing } from '../ports/tracing.ts'
import type { RunTask } from '../tasks/schema.ts'
import type { Leased } from './active.ts'
import type { Ended } from './run.ts'

type WaitTimes = Pick<RunTask, 'since' | 'due'>

/**
 * Runs attempts within the trace of the request that created the task, with spans for backoff, queue wait and attempt.
 * Names follow https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-agent-spans/.
 */
export const createAttemptSpans = ({ begin, within, isExporting }: Tracing) => {
  /** By the times of the message: the claim removes them from the row. A resumed attempt has none. */
  const waitSpan = ({ id, trace, attempts }: Leased, { since, due }: WaitTimes): string | undefined => {
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

  return async (
    task: Leased,
    message: WaitTimes,
    run: () => Promise<Ended>,
    spent: () => Cost | undefined,
  ): Promise<Ended> => {
    const { id, agent, attempts, trace } = task
    const wait = waitSpan(task, message)
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
    const usd = spent()?.usd ?? undefined
    const attributes = { 'task.outcome': ended.kind, ...definedFields({ 'task.attempt.cost_usd': usd }) }
    span.end({ attributes, error: errorCode(ended) })
    return ended
  }
}

const errorCode = (ended: Ended): string | undefined => {
  if (ended.kind === 'failed') return ended.error.code
  return ended.kind === 'stopped' ? ended.reason : undefined
}
