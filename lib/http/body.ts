import { isUtf8 } from 'node:buffer'
import httpJsonBodyParser from '@middy/http-json-body-parser'
import { Problem } from '../core/errors.ts'
import { notJson, type Parse, readJson } from '../core/json.ts'
import type { HttpContext, HttpEvent } from './event.ts'

export const DEFAULT_BODY_LIMIT = 1_048_576

export const hasBody = ({ headers, body }: Pick<HttpEvent, 'headers' | 'body'>): boolean =>
  Boolean(body) || headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'

export const tooLarge = (limit: number) =>
  new Problem('too_large', 'body_too_large', `The body is larger than ${limit} bytes`)

// A body is read as JSON whatever its content type: callers of webhooks and scripts often send none, or a wrong one.
const bodyParser = httpJsonBodyParser({ disableContentTypeCheck: true })

/**
 * The middleware calls a function for every key and value, which takes five times as long as the parser. For normal
 * bodies this takes microseconds; for the largest allowed it would block other requests for some 80 ms.
 */
const MOST_FOR_MIDDLEWARE = 1_000

const parse: Parse = (text, values) => {
  if (values > MOST_FOR_MIDDLEWARE) return JSON.parse(text)
  const event = { headers: {}, body: text as unknown, isBase64Encoded: false }
  try {
    // middy's types describe AWS's event; the middleware reads these three fields.
    bodyParser.before?.({ event } as never)
    return event.body
  } catch {
    // The middleware refuses the key `__proto__` without its path, which `readJson` names, and `constructor` with a
    // `prototype`, which is data here. Malformed JSON throws again.
    return JSON.parse(text)
  }
}

/** The JSON of a body; an empty one counts as `{}`. Refuses more than `limit` bytes, and what `readJson` refuses. */
export const readJsonBody = (event: HttpEvent, limit = DEFAULT_BODY_LIMIT): unknown => {
  const text = bodyText(event)
  if (Buffer.byteLength(text) > limit) throw tooLarge(limit)
  return text.trim() === '' ? {} : readJson(text, parse)
}

/** Reads the rest of the body into the event. Throws Problem `too_large` for more than `limit` bytes. */
export const takeBody = async (event: HttpEvent, { body }: HttpContext, limit = DEFAULT_BODY_LIMIT) => {
  if (body === undefined) return
  const bytes = body.bytes(limit)
  Object.assign(event, encodeBody(bytes instanceof Promise ? await bytes : bytes))
}

const encodeBody = (bytes: Buffer): Required<Pick<HttpEvent, 'body' | 'isBase64Encoded'>> => {
  const isBase64Encoded = !isUtf8(bytes)
  return { body: bytes.toString(isBase64Encoded ? 'base64' : 'utf8'), isBase64Encoded }
}

/** The bytes of a body as they arrive, or as the host has read them. Throws Problem `too_large`. */
export async function* bodyPieces(
  { body: read, isBase64Encoded }: HttpEvent,
  { body }: HttpContext,
  limit = DEFAULT_BODY_LIMIT,
): AsyncGenerator<Buffer, void> {
  if (body !== undefined) return yield* body.pieces(limit)
  const bytes = Buffer.from(read ?? '', isBase64Encoded ? 'base64' : 'utf8')
  if (bytes.length > limit) throw tooLarge(limit)
  yield bytes
}

const bodyText = ({ body, isBase64Encoded }: HttpEvent) => {
  const text = body ?? ''
  if (!isBase64Encoded) return text
  const bytes = Buffer.from(text, 'base64')
  // Decoding would replace each invalid byte by U+FFFD, and two passwords could become equal.
  if (!isUtf8(bytes)) throw notJson('is not UTF-8')
  return bytes.toString('utf8')
}
