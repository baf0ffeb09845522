import { createHash } from 'node:crypto'
import { decodedText } from '../../../core/cut-text.ts'

/** Sorts below every other character, so that a text sorts before longer texts with the same beginning. */
const SEPARATOR = '\u0000\u0001'
const ESCAPED_NUL = '\u0000\u0002'
/** Sorts above every place with the same beginning. */
const LAST = '\u{10ffff}'
/** Sorts below every place. */
export const FIRST = ' '

/** DynamoDB's limit of a sort key is 1,024 bytes. */
const MOST_BYTES = 1_000
const KEPT_BYTES = 900

/** Sixteen hexadecimal digits that sort like the numbers: the sign bit is flipped, and all bits of negative numbers. */
const sortableNumber = (value: number): string => {
  const bits = new DataView(new ArrayBuffer(8))
  bits.setFloat64(0, value === 0 ? 0 : value)
  const raw = bits.getBigUint64(0)
  const flipped = raw >> 63n === 1n ? ~raw & 0xffff_ffff_ffff_ffffn : raw | (1n << 63n)
  return flipped.toString(16).padStart(16, '0')
}

/** A text that sorts like the value, numbers before texts. Throws TypeError for lists and objects. */
export const sortable = (value: unknown, field: string): string | undefined => {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'string' && value.isWellFormed()) return `s${value.replaceAll('\0', ESCAPED_NUL)}`
  if (typeof value === 'number') return `n${sortableNumber(value)}`
  if (typeof value === 'boolean') return `n${sortableNumber(Number(value))}`
  throw new TypeError(`${field} must be a well-formed text, a number or a boolean to be in an index`)
}

/** The place of a row in an index: its sortable value, then the tie breakers. A long one ends in a digest. */
export const placeText = (by: string, ties: readonly string[]): string => {
  const place = [by, ...ties].join(SEPARATOR)
  if (place.length * 3 <= MOST_BYTES) return place
  const bytes = Buffer.from(place)
  if (bytes.length <= MOST_BYTES) return place
  const beginning = decodedText(bytes.subarray(0, KEPT_BYTES), true)
  return beginning + createHash('sha256').update(bytes).digest('base64url')
}

export const lastPlace = (by: string): string => by + SEPARATOR + LAST

/** Surrogates stand for the highest characters, but are not the highest code units. */
const rank = (unit: number) => {
  if (unit >= 0xe000) return unit - 0x800
  return unit >= 0xd800 ? unit + 0x2000 : unit
}

/** The order of UTF-8 bytes, which DynamoDB uses for keys. */
export const compareBytes = (a: string, b: string): number => {
  const most = Math.min(a.length, b.length)
  for (let at = 0; at < most; at += 1) {
    const one = a.charCodeAt(at)
    const other = b.charCodeAt(at)
    if (one !== other) return rank(one) - rank(other)
  }
  return a.length - b.length
}

/** The shard of a key, from 0: by FNV-1a, which also spreads similar keys. */
export const shardNumber = (key: string, shards: number): number => {
  let sum = 0x811c9dc5
  for (let at = 0; at < key.length; at += 1) sum = Math.imul(sum ^ key.charCodeAt(at), 0x01000193)
  return ((sum ^ (sum >>> 15)) >>> 0) % shards
}
