import { isUtf8 } from 'node:buffer'
import { invalid, Problem } from '../core/errors.ts'
import type { HttpEvent } from './event.ts'

export const DEFAULT_BODY_LIMIT = 1_048_576
const DEEPEST = 64

export const tooLarge = (limit: number) =>
  new Problem('too_large', 'body_too_large', `The body is larger than ${limit} bytes`)

/**
 * The JSON body of a request; an empty one counts as `{}`, so that the schema names what is missing.
 * Refuses bodies over `limit` bytes, deeper than 64 levels, with a `__proto__` key anywhere, or with a value inside that is
 * text and not well-formed, or a number too large for a double.
 */
export const readJsonBody = (event: HttpEvent, limit = DEFAULT_BODY_LIMIT): unknown => {
  const text = bodyText(event)
  if (Buffer.byteLength(text) > limit) throw tooLarge(limit)
  if (text.trim() === '') return {}
  const value = parse(text)
  refuseUnsafe(value)
  return value
}

/** The body of an event, by its bytes: what is no text travels in base64, as API Gateway has it. */
export const bodyOf = (bytes: Buffer): Required<Pick<HttpEvent, 'body' | 'isBase64Encoded'>> => {
  const isBase64Encoded = !isUtf8(bytes)
  return { body: bytes.toString(isBase64Encoded ? 'base64' : 'utf8'), isBase64Encoded }
}

/** The bytes of an event's body, as they were sent. Throws Problem `too_large` for more than `limit` of them. */
export const bytesOf = ({ body, isBase64Encoded }: HttpEvent, limit = DEFAULT_BODY_LIMIT): Buffer => {
  const bytes = Buffer.from(body ?? '', isBase64Encoded ? 'base64' : 'utf8')
  if (bytes.length > limit) throw tooLarge(limit)
  return bytes
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

const notJson = (message: string) => invalid([{ path: '', message }], 'invalid_json')

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw notJson('is not valid JSON')
  }
}

type Place = { value: Readonly<Record<string, unknown>>; depth: number; path: string }

/** Walks without recursion: the depth of what a stranger sent must not become the depth of our stack. */
const refuseUnsafe = (root: unknown) => {
  const open: Place[] = isObject(root) ? [{ value: root, depth: 1, path: '' }] : []
  for (let next = open.pop(); next; next = open.pop()) {
    if (next.depth > DEEPEST) {
      throw invalid([{ path: '', message: `is nested deeper than ${DEEPEST} levels` }], 'json_too_deep')
    }
    for (const name of Object.keys(next.value)) {
      const child = next.value[name]
      if (name === '__proto__' || isUnkeepable(child)) throw unsafe(name, child, next)
      if (isObject(child)) open.push({ value: child, depth: next.depth + 1, path: pathTo(name, next) })
    }
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

const pathTo = (name: string, { path }: Place) => (path ? `${path}.${name}` : name)

/** Neither half of a surrogate pair nor 1e999, which is read as Infinity, can be written again as it came. */
const isUnkeepable = (value: unknown) =>
  (typeof value === 'string' && !value.isWellFormed()) ||
  (typeof value === 'number' && !Number.isFinite(value))

const unsafe = (name: string, value: unknown, within: Place) => {
  const path = pathTo(name, within)
  // Assigning such a key elsewhere would change an object's prototype.
  if (name === '__proto__') return invalid([{ path, message: 'is not an allowed key' }])
  if (typeof value === 'number') return invalid([{ path, message: 'is too large a number' }])
  return invalid([{ path, message: 'is not well-formed Unicode' }])
}
