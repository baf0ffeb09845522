import { isUtf8 } from 'node:buffer'
import { invalid } from '../core/errors.ts'

const FORM_TYPE = /^\s*application\/x-www-form-urlencoded\s*(?:;|$)/i
const DEEPEST = 64

/**
 * What a body says, whose sender is known by then: JSON, or a form whose field `payload` is JSON. Throws Problem `invalid`
 * for what is neither, and for what is nested deeper than any body may be.
 */
export const payloadOf = (bytes: Buffer, contentType: string | undefined): unknown => {
  if (!isUtf8(bytes)) throw notJson('is not UTF-8')
  const text = bytes.toString('utf8')
  const json = FORM_TYPE.test(contentType ?? '') ? (new URLSearchParams(text).get('payload') ?? '') : text
  const value = parsed(json)
  if (isTooDeep(value)) throw notJson(`is nested deeper than ${DEEPEST} levels`, 'json_too_deep')
  return value
}

const notJson = (message: string, code = 'invalid_json') => invalid([{ path: '', message }], code)

const parsed = (json: string): unknown => {
  try {
    return JSON.parse(json)
  } catch {
    throw notJson('is not valid JSON')
  }
}

/** Level by level: the depth of what was sent must not become the depth of our stack. */
const isTooDeep = (root: unknown): boolean => {
  let level: unknown[] = [root]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth >= DEEPEST) return true
    level = level.filter(isObject).flatMap((value) => Object.values(value).filter(isObject))
  }
  return false
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
