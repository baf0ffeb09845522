import { invalid, Problem } from './errors.ts'

export const DEEPEST = 64
/** Bounds the work of a parser, as bytes do not: 1 MiB of `{}` is 350,000 objects; code hosts send up to 60,000. */
export const MOST_VALUES = 100_000

/** Parses a text that has `values` keys and values; throws for malformed JSON. */
export type Parse = (text: string, values: number) => unknown

const parsePlain: Parse = (text) => JSON.parse(text)

/**
 * Parses JSON from an untrusted source (RFC 8259). Throws Problem `too_large` `too_many_values` for more than 100,000
 * keys and values, `invalid` `json_too_deep` for more than 64 levels, `invalid` `invalid_json`. Half a surrogate pair
 * becomes U+FFFD.
 */
export const parseJson = (text: string): unknown => parsedWithin(wellFormedJson(text), parsePlain)

/** Parses as `parseJson` does, and keeps half of a surrogate pair: the next event may have the other half. */
export const parseStreamedJson = (text: string): unknown => parsedWithin(text, parsePlain)

/** Parses within the limits of `parseJson`, and leaves texts as they are. */
const parsedWithin = (text: string, parse: Parse): unknown => {
  const values = countValues(text)
  try {
    return parse(text, values)
  } catch {
    throw notJson('is not valid JSON')
  }
}

/** Parses as `parseJson` does, and also refuses `__proto__`, ill-formed Unicode and a number too large for a double. */
export const readJson = (text: string, parse = parsePlain): unknown => {
  const value = parsedWithin(text, parse)
  refuseUnsafe(value)
  return value
}

export const notJson = (message: string) => invalid([{ path: '', message }], 'invalid_json')

export const tooDeep = () =>
  invalid([{ path: '', message: `is nested deeper than ${DEEPEST} levels` }], 'json_too_deep')

const tooMany = () =>
  new Problem(
    'too_large',
    'too_many_values',
    `The JSON has more than ${MOST_VALUES} keys and values. Send less in one request`,
  )

const QUOTE = 0x22
const BACKSLASH = 0x5c
const isOpening = (code: number) => code === 0x7b || code === 0x5b
const isClosing = (code: number) => code === 0x7d || code === 0x5d
/** White space, control characters, comma and colon: the characters that separate two values. */
const isBetween = (code: number) => code <= 0x20 || code === 0x2c || code === 0x3a

/** Counts keys and values, and refuses too many or too deep ones. It does not check the syntax: the parser does. */
const countValues = (text: string): number => {
  let depth = 0
  let values = 0
  let isInScalar = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    const wasInScalar = isInScalar
    isInScalar = false
    if (isBetween(code)) continue
    if (isClosing(code)) {
      depth -= 1
      continue
    }
    if (code === QUOTE) at = endOfString(text, at)
    else if (isOpening(code)) depth += 1
    else isInScalar = true
    if (!(isInScalar && wasInScalar)) values += 1
    if (values > MOST_VALUES) throw tooMany()
    if (depth > DEEPEST) throw tooDeep()
  }
  return values
}

/** The index of the closing quote of the string that begins at `start`; the end of the text where there is none. */
const endOfString = (text: string, start: number): number => {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let before = end - 1
    while (text.charCodeAt(before) === BACKSLASH) before -= 1
    if ((end - before) % 2 === 1) return end
  }
  return text.length
}

const refuseUnsafe = (root: unknown): void => {
  const fault = unsafeIn(root)
  if (fault) throw invalid([{ path: fault.names.toReversed().join('.'), message: fault.message }])
}

/** A refused value: its message, and the names of its path from the innermost on. Only a refused body costs a path. */
type Unsafe = { names: string[]; message: string }

/** The recursion is safe: `parseJson` has bounded the depth. */
const unsafeIn = (value: unknown): Unsafe | undefined => {
  if (typeof value === 'string')
    return value.isWellFormed() ? undefined : unsafe('is not well-formed Unicode')
  // JSON.parse reads 1e999 as Infinity, which JSON cannot write.
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : unsafe('is too large a number')
  if (Array.isArray(value)) return unsafeItem(value)
  return typeof value === 'object' && value !== null ? unsafeMember(value) : undefined
}

const unsafeItem = (list: readonly unknown[]): Unsafe | undefined => {
  for (let at = 0; at < list.length; at++) {
    const fault = unsafeIn(list[at])
    if (fault) return within(String(at), fault)
  }
  return undefined
}

const unsafeMember = (object: object): Unsafe | undefined => {
  for (const name in object) {
    // An assignment of this key would change the prototype of an object.
    const fault =
      name === '__proto__' ? unsafe('is not an allowed key') : unsafeIn(object[name as keyof object])
    if (fault) return within(name, fault)
  }
  return undefined
}

const unsafe = (message: string): Unsafe => ({ names: [], message })

const within = (name: string, fault: Unsafe): Unsafe => {
  fault.names.push(name)
  return fault
}

/** A pair of escapes that is one character, an escape of half of a character, and any other escape. */
const ESCAPE =
  /\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|(u[dD][89a-fA-F][\da-fA-F]{2})|.)/gs
const MAY_HAVE_HALF = /\\u[dD][89a-fA-F]/

/** JSON in which half of a surrogate pair, which many parsers refuse, is U+FFFD, as in `toWellFormed`. */
export const wellFormedJson = (json: string): string =>
  MAY_HAVE_HALF.test(json)
    ? json.replaceAll(ESCAPE, (found, half?: string) => (half === undefined ? found : '\\ufffd'))
    : json

/** A value as JSON text, well-formed as `wellFormedJson` has it. */
export const jsonText = (value: unknown): string => wellFormedJson(JSON.stringify(value))
