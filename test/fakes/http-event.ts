import type { HttpEvent } from '../../lib/http/event.ts'

type Headers = Readonly<Record<string, string>>

/** A request as the HTTP API passes it on: `GET /api/tasks?limit=50`. A body that is text goes as it is, any other as JSON. */
export const httpEvent = (request: string, body?: unknown, headers: Headers = {}): HttpEvent => {
  const [method = 'GET', target = '/'] = request.split(/ (.*)/s)
  const { pathname, searchParams } = new URL(target, 'http://localhost')
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath: pathname,
    rawQueryString: String(searchParams),
    headers: { host: 'localhost', 'content-type': 'application/json', ...headers },
    queryStringParameters: Object.fromEntries(searchParams),
    requestContext: { requestId: 'req_1', http: { method, path: pathname, sourceIp: '127.0.0.1' } },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    isBase64Encoded: false,
  }
}

/** A request without a body that comes from an address, with these headers and no others. */
export const eventFrom = (sourceIp: string, headers: Headers, method = 'GET'): HttpEvent => {
  const { requestContext, ...event } = httpEvent(`${method} /`)
  return {
    ...event,
    headers,
    requestContext: { ...requestContext, http: { ...requestContext.http, sourceIp } },
  }
}
