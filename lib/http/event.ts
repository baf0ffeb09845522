/** The parts of an API Gateway HTTP API event (payload format 2.0) that the service reads. */
export type HttpEvent = {
  version: '2.0'
  routeKey: string
  rawPath: string
  rawQueryString: string
  /** Names in lower case; several values of one name joined by a comma. */
  headers: Record<string, string | undefined>
  /** `name=value` each; API Gateway takes them out of the headers. */
  cookies?: string[]
  // Gateways differ in how they say that there are none: nothing, or null.
  queryStringParameters?: Record<string, string | undefined> | null
  pathParameters?: Record<string, string | undefined> | null
  /** Set once a route has matched: the name of its operation, and the user that calls it. */
  operation?: string
  userId?: string
  requestContext: {
    requestId: string
    http: { method: string; path: string; sourceIp: string }
  }
  body?: string | null
  isBase64Encoded: boolean
}

/** The answer of a handler. A body in pieces is streamed by a host that can; bytes are for the page's files. */
export type HttpResult = {
  statusCode: number
  headers: Record<string, string>
  body: string | Uint8Array | AsyncIterable<string>
}

/**
 * A body that is still on its way. Nothing of it is read before it is asked for, by one of both; each refuses more than
 * `limit` bytes by Problem `too_large`, and rejects with Problem `request_aborted` when the caller hangs up.
 */
export type UnreadBody = {
  whole(limit: number): Buffer | Promise<Buffer>
  pieces(limit: number): AsyncGenerator<Buffer, void>
}

/**
 * What a host knows beside the event. A function in the cloud does not know when its caller hangs up, and has the body in
 * its event; Lambda's own log lines have its `awsRequestId`.
 */
export type HttpContext = { gone?(): AbortSignal; body?: UnreadBody; awsRequestId?: string }

/** Request ids are our own: they look the same behind every kind of gateway. */
export const withRequestId = (event: HttpEvent, requestId: string): HttpEvent => ({
  ...event,
  requestContext: { ...event.requestContext, requestId },
})

/** Whether a request says that it has a body, be it read or not. */
export const hasBody = ({ headers, body }: Pick<HttpEvent, 'headers' | 'body'>): boolean =>
  Boolean(body) || headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'

export type HttpHandler = (event: HttpEvent, context: HttpContext) => Promise<HttpResult>
