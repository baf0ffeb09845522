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
  queryStringParameters?: Record<string, string | undefined>
  pathParameters?: Record<string, string | undefined>
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

/** What a host knows beside the event; a function in the cloud is not told when its caller hangs up. */
export type HttpContext = { gone?(): AbortSignal }

export type HttpHandler = (event: HttpEvent, context: HttpContext) => Promise<HttpResult>
