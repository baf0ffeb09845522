import { crc32 } from 'node:zlib'
import { invalid } from './errors.ts'

/** A place in an ordered list: the sort value (as a rule the creation time) and the key of the last row that was read. */
export type Place = { by: string | number | boolean | null; key: string }

// Room for the longest sort value, a title of 500 characters that all need escaping.
const LONGEST = 6_000

// Hexadecimal keeps sum and body together one base64url text.
const SUM_LENGTH = 8

// Against damage and mix-ups. It is no signature: a forged cursor names a place in the caller's own list.
const checksum = (body: string, scope: string) =>
  crc32(`${scope}\0${body}`).toString(16).padStart(SUM_LENGTH, '0')

/** Opaque base64url text of a place. `scope` names list, filters, order and owner: `decodeCursor` compares it. */
export const encodeCursor = ({ by, key }: Place, scope: string): string => {
  const body = Buffer.from(JSON.stringify([by, key])).toString('base64url')
  return checksum(body, scope) + body
}

/** Throws Problem `invalid` when the text is damaged, too long or of another scope. */
export const decodeCursor = (text: string, scope: string): Place => {
  const body = text.slice(SUM_LENGTH)
  const intact = text.length <= LONGEST && text.slice(0, SUM_LENGTH) === checksum(body, scope)
  const place = intact ? placeIn(body) : undefined
  if (place) return place
  const message = 'is invalid or from another list. Leave it out to start from the beginning'
  throw invalid([{ path: 'cursor', message }])
}

const placeIn = (body: string): Place | undefined => {
  const [by, key, ...more] = listIn(body)
  if (typeof key !== 'string' || more.length > 0 || !isScalar(by)) return undefined
  return { by, key }
}

const listIn = (body: string): readonly unknown[] => {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(body, 'base64url').toString())
    return Array.isArray(parsed) ? parsed : []
  } catch {
    return []
  }
}

const isScalar = (value: unknown): value is Place['by'] =>
  value === null || ['string', 'number', 'boolean'].includes(typeof value)
