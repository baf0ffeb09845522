/** The request that a row or a message came with, so that its log lines can be found across processes. */
export type Trace = { requestId: string; traceparent?: string }

/** https://www.w3.org/TR/trace-context/#traceparent-header */
const TRACEPARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/

/** The trace of a request. A `traceparent` header that is malformed is left out. */
export const traceOf = (request: { requestId: string; header(name: string): string | undefined }): Trace => {
  const { requestId } = request
  const traceparent = request.header('traceparent')
  return traceparent !== undefined && TRACEPARENT.test(traceparent)
    ? { requestId, traceparent }
    : { requestId }
}
