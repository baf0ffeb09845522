import { randomBytes } from 'node:crypto'
import { spanIn } from '../../core/trace.ts'
import type { Clock } from '../../ports/clock.ts'
import type { NewSpan, Span, Tracing } from '../../ports/tracing.ts'
import { currentTrace, withinTrace } from './current-trace.ts'
import type { createOtlpExporter } from './otlp.ts'

type Exporter = ReturnType<typeof createOtlpExporter>

/** https://opentelemetry.io/docs/specs/otel/trace/api/#spankind, as the wire numbers them. */
const KINDS = { internal: 1, server: 2, client: 3, consumer: 5 } as const

const idOf = (bytes: number) => randomBytes(bytes).toString('hex')

const ignore = () => undefined

/** Without `exporter` only the request of the running work is kept. A parent that is not sampled has no sampled children. */
export const createTracing = ({ clock, exporter }: { clock: Clock; exporter?: Exporter }): Tracing => {
  const begin = ({ name, kind, startMs, attributes, ...given }: NewSpan): Span => {
    const above = given.parent === undefined ? currentTrace()?.traceparent : (given.parent ?? undefined)
    const parent = spanIn(above)
    if (exporter === undefined || parent?.isSampled === false)
      return { traceparent: parent && above, end: ignore }
    const began = clock.monotonic()
    const from = startMs ?? clock.now()
    const lateBy = startMs === undefined ? 0 : Math.max(0, clock.now() - startMs)
    const traceId = parent?.traceId ?? idOf(16)
    const spanId = idOf(8)
    return {
      traceparent: `00-${traceId}-${spanId}-01`,
      end: (more = {}) =>
        exporter.add({
          ...{ traceId, spanId, parentSpanId: parent?.spanId, name: more.name ?? name, kind: KINDS[kind] },
          ...{ startMs: from, endMs: from + lateBy + clock.monotonic() - began },
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

  return { isExporting: exporter !== undefined, current: currentTrace, within: withinTrace, begin, flush }
}
