import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import { wellFormedJson } from '../../core/json.ts'
import { spanIn } from '../../core/trace.ts'
import type { Clock } from '../../ports/clock.ts'
import type { NewSpan, RunningTrace, Span, Tracing } from '../../ports/tracing.ts'
import type { createOtlpExporter } from './otlp.ts'

type Exporter = ReturnType<typeof createOtlpExporter>

/** One for the process, since it follows the chain of asynchronous calls. */
const running = new AsyncLocalStorage<RunningTrace>()

/** The headers by which a receiver finds the request that caused its own. */
export const traceHeaders = (): Record<string, string> => {
  const { requestId, traceparent } = running.getStore() ?? {}
  return {
    ...(requestId === undefined ? {} : { 'x-request-id': requestId }),
    ...(traceparent === undefined ? {} : { traceparent }),
  }
}

/** Node's fetch with these headers. A text that is sent is well-formed: providers refuse half of a character. */
export const tracedFetch: typeof fetch = (input, init) => {
  const sent = typeof init?.body === 'string' ? { ...init, body: wellFormedJson(init.body) } : init
  const added = Object.entries(traceHeaders())
  if (added.length === 0) return fetch(input, sent)
  const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined))
  for (const [name, value] of added) if (!headers.has(name)) headers.set(name, value)
  return fetch(input, { ...sent, headers })
}

/** The span kinds in the wire format: https://opentelemetry.io/docs/specs/otel/trace/api/#spankind */
const KINDS = { internal: 1, server: 2, client: 3, consumer: 5 } as const

const newId = (bytes: number) => randomBytes(bytes).toString('hex')

/** Without `exporter` only the running request is tracked. Children of an unsampled parent are not sampled. */
export const createTracing = ({ clock, exporter }: { clock: Clock; exporter?: Exporter }): Tracing => {
  const begin = ({ name, kind, startMs, attributes, ...given }: NewSpan): Span => {
    const above = given.parent === undefined ? running.getStore()?.traceparent : (given.parent ?? undefined)
    const parent = spanIn(above)
    if (exporter === undefined || parent?.isSampled === false)
      return { traceparent: parent && above, end: () => undefined }
    const began = clock.monotonic()
    const from = startMs ?? clock.now()
    const lateBy = startMs === undefined ? 0 : Math.max(0, clock.now() - startMs)
    const traceId = parent?.traceId ?? newId(16)
    const spanId = newId(8)
    return {
      traceparent: `00-${traceId}-${spanId}-01`,
      end: (more = {}) =>
        exporter.add({
          traceId,
          spanId,
          parentSpanId: parent?.spanId,
          name: more.name ?? name,
          kind: KINDS[kind],
          startMs: from,
          endMs: more.endMs ?? from + lateBy + clock.monotonic() - began,
          attributes: {
            ...attributes,
            ...more.attributes,
            ...(more.error === undefined ? {} : { 'error.type': more.error }),
          },
          isError: more.error !== undefined,
        }),
    }
  }

  const flush = async (mostMs: number): Promise<void> => {
    if (exporter === undefined) return
    const late = Promise.withResolvers<void>()
    const cancel = clock.after(mostMs, late.resolve)
    await Promise.race([exporter.send(), late.promise])
    cancel()
  }

  return {
    isExporting: exporter !== undefined,
    current: () => running.getStore(),
    within: (trace, work) => running.run(trace, work),
    begin,
    flush,
  }
}
