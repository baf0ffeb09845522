/** The request that caused a row or a message: log lines of other processes carry its id. */
export type Trace = { requestId: string; traceparent?: string }

/** https://www.w3.org/TR/trace-context/#traceparent-header */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/

/** The ids in a `traceparent`; undefined for a malformed one. */
export const spanIn = (
  traceparent: string | undefined,
): { traceId: string; spanId: string; isSampled: boolean } | undefined => {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(traceparent ?? '') ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

/** The trace of a request. A malformed `traceparent` header is left out. */
export const toTrace = (request: { requestId: string; header(name: string): string | undefined }): Trace => {
  const { requestId } = request
  const traceparent = request.header('traceparent')
  return traceparent !== undefined && spanIn(traceparent) ? { requestId, traceparent } : { requestId }
}
