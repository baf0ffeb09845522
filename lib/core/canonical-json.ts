/**
 * The one text of a JSON value (RFC 8785): members by the code units of their names, no white space, numbers and
 * texts as ECMAScript writes them. What is equal after `JSON.parse` has the same text. Throws TypeError for what no
 * JSON can carry: numbers that are not finite, half surrogate pairs, and anything that is not JSON at all.
 */
export const canonicalJson = (value: unknown): string => {
  if (value === null || typeof value === 'boolean') return String(value)
  if (typeof value === 'string') return textOf(value)
  if (typeof value === 'number' && Number.isFinite(value)) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${Array.from(value, canonicalJson).join(',')}]`
  if (isPlain(value)) return `{${membersOf(value).join(',')}}`
  throw new TypeError('Not a JSON value')
}

const textOf = (text: string): string => {
  if (text.isWellFormed()) return JSON.stringify(text)
  throw new TypeError('Not well-formed Unicode')
}

/** Without a comparison of its own, `sort` compares code units. */
const membersOf = (value: Readonly<Record<string, unknown>>): string[] =>
  Object.keys(value)
    .sort()
    .map((name) => `${textOf(name)}:${canonicalJson(value[name])}`)

const isPlain = (value: unknown): value is Record<string, unknown> => {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}
