import type { HttpResult } from './event.ts'
import { type RawBody, Reply, type Route } from './route.ts'

/** Turns what a handler returned into the answer on the wire. */
export const respond = (route: Route, answer: unknown): HttpResult => {
  const { body, status, headers } = answer instanceof Reply ? answer : new Reply(answer)
  return {
    statusCode: status ?? route.status ?? 200,
    headers: { ...headers },
    body: isRaw(body) ? body.raw : JSON.stringify(body),
  }
}

const isRaw = (body: unknown): body is RawBody => typeof body === 'object' && body !== null && 'raw' in body
