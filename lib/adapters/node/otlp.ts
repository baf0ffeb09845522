import { messageOf } from '../../core/errors.ts'
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
  /** The attributes of all spans' source. */
  resource: SpanAttributes
  clock: Clock
  log: Pick<Log, 'warn'>
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
  let hasWarned = false

  const warn = (reason: string) => {
    if (!hasWarned) log.warn({ endpoint: url, reason }, 'traces are lost: the collector does not take them')
    hasWarned = true
  }

  const post = async (spans: readonly EndedSpan[]): Promise<void> => {
    try {
      const answer = await fetch(url, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(bodyOf(resource, spans)),
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
      await answer.body?.cancel()
      if (!answer.ok) warn(`it answered ${answer.status}`)
    } catch (thrown) {
      const { cause } = Object(thrown) as { cause?: unknown }
      warn(messageOf(cause ?? thrown, 200))
    }
  }

  const sendAll = async (): Promise<void> => {
    while (waiting.length > 0) await post(waiting.splice(0, MOST_AT_ONCE))
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
      if (waiting.length >= MOST_WAITING) return void warn(`more than ${MOST_WAITING} spans wait for it`)
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

const attributesOf = (attributes: SpanAttributes) =>
  Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: encoded(value) }],
  )

const nanoOf = (ms: number): string => String(BigInt(Math.round(ms * 1_000)) * 1_000n)

const ERROR = 2

const spanOf = ({ startMs, endMs, attributes, isError, parentSpanId, ...span }: EndedSpan) => ({
  ...span,
  ...(parentSpanId === undefined ? {} : { parentSpanId }),
  startTimeUnixNano: nanoOf(startMs),
  endTimeUnixNano: nanoOf(endMs),
  attributes: attributesOf(attributes),
  status: isError ? { code: ERROR } : {},
})

const bodyOf = (resource: SpanAttributes, spans: readonly EndedSpan[]) => ({
  resourceSpans: [
    {
      resource: { attributes: attributesOf(resource) },
      scopeSpans: [{ scope: { name: 'agent-task-service' }, spans: spans.map(spanOf) }],
    },
  ],
})
