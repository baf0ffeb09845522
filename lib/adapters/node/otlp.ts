import { errorMessage } from '../../core/errors.ts'
import { jsonText } from '../../core/json.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { SpanAttributes } from '../../ports/tracing.ts'

/** An ended span; times are epoch milliseconds with fractions. */
type EndedSpan = {
  traceId: string
  spanId: string
  parentSpanId?: string | undefined
  name: string
  kind: number
  startMs: number
  endMs: number
  attributes: SpanAttributes
  isError: boolean
}

type Needs = {
  endpoint: string
  headers: Readonly<Record<string, string>>
  resource: SpanAttributes
  clock: Clock
  log: Pick<Log, 'warn' | 'info'>
}

/** The most waiting spans; further ones are dropped. The default of the OpenTelemetry SDK. */
const MOST_WAITING = 2_048
const MOST_AT_ONCE = 512
const WAIT_MS = 1_000
const TIMEOUT_MS = 5_000

/**
 * Exports spans by OTLP/HTTP in JSON (https://opentelemetry.io/docs/specs/otlp/#otlphttp): one request at a time, without
 * retries. Spans that a collector refuses are dropped: the traced work must not depend on the export.
 */
export const createOtlpExporter = ({ endpoint, headers, resource, clock, log }: Needs) => {
  const url = `${endpoint.replace(/\/$/, '')}/v1/traces`
  const waiting: EndedSpan[] = []
  let cancelTimer: (() => void) | undefined
  let sending: Promise<void> | undefined
  /** The spans that were lost since the collector last took all that waited. */
  let lost = 0

  /** Each period of losses has one warning, of its first: a collector that is away would fill the log. */
  const lose = (spans: number, reason: string) => {
    if (lost === 0)
      log.warn({ endpoint: url, reason, spans }, 'traces are lost: the collector does not take them')
    lost += spans
  }

  const recover = () => {
    if (lost > 0)
      log.info({ endpoint: url, spans: lost }, 'the collector takes traces again; some spans were lost')
    lost = 0
  }

  const post = async (spans: readonly EndedSpan[]): Promise<boolean> => {
    try {
      const answer = await fetch(url, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: jsonText(requestBody(resource, spans)),
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
      await answer.body?.cancel()
      if (!answer.ok) lose(spans.length, `it answered ${answer.status}`)
      return answer.ok
    } catch (thrown) {
      const { cause } = Object(thrown) as { cause?: unknown }
      lose(spans.length, errorMessage(cause ?? thrown, 200))
      return false
    }
  }

  const sendAll = async (): Promise<void> => {
    let isTaken = false
    while (waiting.length > 0) isTaken = await post(waiting.splice(0, MOST_AT_ONCE))
    if (isTaken) recover()
  }

  const send = (): Promise<void> => {
    cancelTimer?.()
    cancelTimer = undefined
    sending ??= sendAll().finally(() => {
      sending = undefined
    })
    return sending
  }

  return {
    add: (span: EndedSpan): void => {
      if (waiting.length >= MOST_WAITING) return void lose(1, `more than ${MOST_WAITING} spans wait for it`)
      waiting.push(span)
      if (sending === undefined) cancelTimer ??= clock.after(WAIT_MS, () => void send())
    },
    /** Resolves when the waiting spans were sent or dropped. Never rejects. */
    send,
  }
}

type Value =
  | { stringValue: string }
  | { intValue: string }
  | { doubleValue: number }
  | { boolValue: boolean }
  | { arrayValue: { values: Value[] } }

const encoded = (value: string | number | boolean | readonly string[]): Value => {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  if (typeof value === 'number')
    return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value }
  return { arrayValue: { values: value.map((each) => ({ stringValue: each })) } }
}

const otlpAttributes = (attributes: SpanAttributes) =>
  Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: encoded(value) }],
  )

const nanoseconds = (ms: number): string => String(BigInt(Math.round(ms * 1_000)) * 1_000n)

const ERROR = 2

const otlpSpan = ({ startMs, endMs, attributes, isError, parentSpanId, ...span }: EndedSpan) => ({
  ...span,
  ...(parentSpanId === undefined ? {} : { parentSpanId }),
  startTimeUnixNano: nanoseconds(startMs),
  endTimeUnixNano: nanoseconds(endMs),
  attributes: otlpAttributes(attributes),
  status: isError ? { code: ERROR } : {},
})

const requestBody = (resource: SpanAttributes, spans: readonly EndedSpan[]) => ({
  resourceSpans: [
    {
      resource: { attributes: otlpAttributes(resource) },
      scopeSpans: [{ scope: { name: 'agent-task-service' }, spans: spans.map(otlpSpan) }],
    },
  ],
})
