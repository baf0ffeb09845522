/** The parts of an API Gateway HTTP API event (payload format 2.0) that the service reads. */
export type HttpEvent = {
  version: '2.0'
  routeKey: string
  rawPath: string
  rawQueryString: string
  /** Names in lower case; several values of one name are joined by a comma. */
  headers: Record<string, string | undefined>
  /** `name=value` each; API Gateway removes them from the headers. */
  cookies?: string[]
  // Gateways send either no field or null for an empty query.
  queryStringParameters?: Record<string, string | undefined> | null
  pathParameters?: Record<string, string | undefined> | null
  /** Set once a route has matched: the name of its operation, and the calling user. */
  operation?: string
  userId?: string
  requestContext: {
    requestId: string
    http: { method: string; path: string; sourceIp: string }
  }
  body?: string | null
  isBase64Encoded: boolean
}

/** The answer of a handler. A host that can streams a body in pieces; bytes are for files of the page. */
export type HttpResult = {
  statusCode: number
  headers: Record<string, string>
  body: string | Uint8Array | AsyncIterable<string>
}

/**
 * A body that has not arrived yet. Nothing is read before one of the two calls; each throws Problem `too_large` for more
 * than `limit` bytes, and rejects with Problem `request_aborted` when the caller disconnects.
 */
export type UnreadBody = {
  bytes(limit: number): Buffer | Promise<Buffer>
  pieces(limit: number): AsyncGenerator<Buffer, void>
}

/**
 * Facts of the host beside the event. A function in the cloud does not learn of a disconnect, and has the body in its
 * event; Lambda's own log lines have its `awsRequestId`.
 */
export type HttpContext = { gone?(): AbortSignal; body?: UnreadBody; awsRequestId?: string }

/** The service makes its own request ids: they look the same behind every gateway. */
export const withRequestId = (event: HttpEvent, requestId: string): HttpEvent => ({
  ...event,
  requestContext: { ...event.requestContext, requestId },
})

export type HttpHandler = (event: HttpEvent, context: HttpContext) => Promise<HttpResult>
