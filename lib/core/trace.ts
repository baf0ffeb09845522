/** The request that a row or a message came with, so that its log lines can be found across processes. */
export type Trace = { requestId: string; traceparent?: string }

/** https://www.w3.org/TR/trace-context/#traceparent-header */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/

/** A span as its `traceparent` names it; undefined for a text that is malformed. */
export const spanIn = (
  traceparent: string | undefined,
): { traceId: string; spanId: string; isSampled: boolean } | undefined => {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(traceparent ?? '') ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

/** The trace of a request. A `traceparent` header that is malformed is left out. */
export const traceOf = (request: { requestId: string; header(name: string): string | undefined }): Trace => {
  const { requestId } = request
  const traceparent = request.header('traceparent')
  return traceparent !== undefined && spanIn(traceparent) ? { requestId, traceparent } : { requestId }
}
