/**
 * The canonical text of a JSON value (RFC 8785): equal values have the same text. Throws TypeError for values that JSON
 * cannot hold: numbers that are not finite, half surrogate pairs, functions and the like.
 */
export const canonicalJson = (value: unknown): string => {
  if (value === null || typeof value === 'boolean') return String(value)
  if (typeof value === 'string') return stringText(value)
  if (typeof value === 'number' && Number.isFinite(value)) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${Array.from(value, canonicalJson).join(',')}]`
  if (isPlain(value)) return `{${memberTexts(value).join(',')}}`
  throw new TypeError('Not a JSON value')
}

const stringText = (text: string): string => {
  if (text.isWellFormed()) return JSON.stringify(text)
  throw new TypeError('Not well-formed Unicode')
}

/** `sort` without a comparison function compares code units. */
const memberTexts = (value: Readonly<Record<string, unknown>>): string[] =>
  Object.keys(value)
    .sort()
    .map((name) => `${stringText(name)}:${canonicalJson(value[name])}`)

const isPlain = (value: unknown): value is Record<string, unknown> => {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}
