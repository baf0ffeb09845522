import type { AttributeValue } from '@aws-sdk/client-dynamodb'

/** A row as it comes out of JSON. */
export type Fields = { [field: string]: unknown }
/** An item of a table: attributes by name. */
export type Item = Record<string, AttributeValue>

const BLOB = Symbol('blob')
/** Stands in a row for a value that is kept as a blob of this name. */
export type Pointer = { readonly [BLOB]: string }
export const pointerTo = (name: string): Pointer => ({ [BLOB]: name })
export const blobOf = (value: unknown): string | undefined =>
  typeof value === 'object' && value !== null && BLOB in value ? String(value[BLOB]) : undefined

/** DynamoDB keeps 38 digits of numbers between these; the bounds are a little closer than its own. */
const keepsNumber = (value: number) => value === 0 || (Math.abs(value) > 1e-128 && Math.abs(value) < 1e125)

const asJson = (value: unknown): AttributeValue | undefined => {
  const text = JSON.stringify(value)
  if (text === undefined) return undefined
  return text === 'null' ? { NULL: true } : { M: { json: { S: text } } }
}

/**
 * A field's value as an attribute: scalars as such, so that conditions can name them; what DynamoDB would not give back
 * to the byte (the order of keys, half surrogate pairs, extreme numbers) as its JSON text, `{ json: "…" }`. Undefined
 * for what is no value in JSON. Throws TypeError for what JSON refuses.
 */
export const encode = (value: unknown): AttributeValue | undefined => {
  if (typeof value === 'string') return value.isWellFormed() ? { S: value } : asJson(value)
  if (typeof value === 'number') return keepsNumber(value) ? { N: String(value) } : asJson(value)
  if (typeof value === 'boolean') return { BOOL: value }
  const blob = blobOf(value)
  return blob === undefined ? asJson(value) : { M: { blob: { S: blob } } }
}

export const decode = ({ S, N, BOOL, M }: AttributeValue): unknown => {
  if (S !== undefined) return S
  if (N !== undefined) return Number(N)
  if (BOOL !== undefined) return BOOL
  if (M?.json?.S !== undefined) return JSON.parse(M.json.S)
  return M?.blob?.S === undefined ? null : pointerTo(M.blob.S)
}
