import { isUtf8 } from 'node:buffer'
import httpJsonBodyParser from '@middy/http-json-body-parser'
import { Problem } from '../core/errors.ts'
import { notJson, type Parse, readJson } from '../core/json.ts'
import type { HttpContext, HttpEvent } from './event.ts'

export const DEFAULT_BODY_LIMIT = 1_048_576

export const tooLarge = (limit: number) =>
  new Problem('too_large', 'body_too_large', `The body is larger than ${limit} bytes`)

// A body is read as JSON whatever its content type says: callers of webhooks and scripts often say nothing, or another one.
const bodyParser = httpJsonBodyParser({ disableContentTypeCheck: true })

/**
 * The middleware calls a function for every key and value, which takes five times as long as the parser alone. Of bodies
 * that people and programs send this is microseconds; of the largest allowed it would hold up all others for some 80 ms.
 */
const MOST_FOR_MIDDLEWARE = 1_000

const parse: Parse = (text, values) => {
  if (values > MOST_FOR_MIDDLEWARE) return JSON.parse(text)
  const event = { headers: {}, body: text as unknown, isBase64Encoded: false }
  try {
    // middy's types describe AWS's own event; the middleware looks at these three fields.
    bodyParser.before?.({ event } as never)
    return event.body
  } catch {
    // It refuses the key `__proto__` without its place, which `readJson` names, and `constructor` with a `prototype`, which
    // is data here. What is no JSON throws again.
    return JSON.parse(text)
  }
}

/**
 * The JSON body of a request; an empty one counts as `{}`, so that the schema names what is missing.
 * Refuses bodies over `limit` bytes, and what `readJson` refuses.
 */
export const readJsonBody = (event: HttpEvent, limit = DEFAULT_BODY_LIMIT): unknown => {
  const text = bodyText(event)
  if (Buffer.byteLength(text) > limit) throw tooLarge(limit)
  return text.trim() === '' ? {} : readJson(text, parse)
}

/** Takes into the event what its host has not read yet. Throws Problem `too_large` for more than `limit` bytes. */
export const takeBody = async (event: HttpEvent, { body }: HttpContext, limit = DEFAULT_BODY_LIMIT) => {
  if (body === undefined) return
  const bytes = body.whole(limit)
  Object.assign(event, bodyOf(bytes instanceof Promise ? await bytes : bytes))
}

/** The body of an event, by its bytes: what is no text travels in base64, as API Gateway has it. */
const bodyOf = (bytes: Buffer): Required<Pick<HttpEvent, 'body' | 'isBase64Encoded'>> => {
  const isBase64Encoded = !isUtf8(bytes)
  return { body: bytes.toString(isBase64Encoded ? 'base64' : 'utf8'), isBase64Encoded }
}

/**
 * The bytes of a body as they were sent, in pieces as they come, or in one where the host has read them. Throws Problem
 * `too_large` when there are more than `limit`.
 */
export async function* piecesOf(
  { body: read, isBase64Encoded }: HttpEvent,
  { body }: HttpContext,
  limit = DEFAULT_BODY_LIMIT,
): AsyncGenerator<Buffer, void> {
  if (body !== undefined) return yield* body.pieces(limit)
  const bytes = Buffer.from(read ?? '', isBase64Encoded ? 'base64' : 'utf8')
  if (bytes.length > limit) throw tooLarge(limit)
  yield bytes
}

/** Gateways differ in how they say that there is no body: none, or null. */
const bodyText = ({ body, isBase64Encoded }: HttpEvent) => {
  const text = body ?? ''
  if (!isBase64Encoded) return text
  const bytes = Buffer.from(text, 'base64')
  // Decoded all the same it would hold U+FFFD for each letter that is none, and two passwords could be one.
  if (!isUtf8(bytes)) throw notJson('is not UTF-8')
  return bytes.toString('utf8')
}
