import type { Key } from '../../ports/store.ts'
import type { Fields } from './change.ts'
import type { Address, Entry, Rows } from './entry.ts'
import type { HighWater } from './high-water.ts'
import type { Hot } from './hot.ts'
import type { Plan } from './plan.ts'
import type { Records } from './records.ts'

/** What the reads and writes of one table stand on. */
export type Parts = {
  plan: Plan
  records: Records
  hot: Hot
  /** Those of this table in `hot`. */
  rows: Rows
  isNew: ReturnType<HighWater['of']>
  expired: (head: Fields) => boolean
}
/** A row and where it lies. `detail` is undefined when nobody asked for it and it was not at hand; its size is in characters. */
export type Standing = {
  at: Address
  head: Fields
  detail: Fields | undefined
  detailSize: number
  aside: boolean
}

export const NOTHING: Fields = Object.freeze({})

/** Rows of one owner and another may have the same key. */
export const nameOf = (key: Key): string => (typeof key === 'string' ? key : `${key[0]}\0${key[1]}`)

/** The row as the file has it, expired or not. */
export const inFile = ({ records }: Parts, key: Key, detail: boolean): Standing | undefined => {
  const found = records.find(key)
  if (found === undefined) return undefined
  const { at, head, small } = found
  const aside = small === undefined
  if (!detail) return { at, head, detail: undefined, detailSize: 0, aside }
  return { at, head, ...records.detailOf(at, small), aside }
}

/** The row as the last write that was decided left it, expired or not; `entry` is what is at hand of it. */
export const lastOf = (
  parts: Parts,
  key: Key,
  entry: Entry | undefined,
  detail: boolean,
): Standing | undefined => {
  if (entry === undefined) return freshOf(parts, key) ?? inFile(parts, key, detail)
  const { at, head, aside } = entry
  if (head === undefined) return undefined
  if (entry.detail !== undefined || !detail)
    return { at, head, detail: entry.detail, detailSize: entry.detailSize, aside }
  // Detail that is not at hand was not written since it was last durable, so the file has it.
  return { at, head, ...parts.records.detailOf(at), aside }
}

const freshOf = ({ records, hot }: Parts, key: Key): Standing | undefined => {
  const head = typeof key === 'string' ? undefined : hot.fresh.find(records.addAll, ...key)
  return head && typeof key !== 'string'
    ? { at: key, head, detail: NOTHING, detailSize: 0, aside: false }
    : undefined
}

/** The row as readers may see it: the file's state, which an entry without pending writes has in memory. */
export const durableOf = (parts: Parts, key: Key, detail: boolean): Standing | undefined => {
  const entry = parts.rows.get(nameOf(key))
  return entry?.pending === 0 ? lastOf(parts, key, entry, detail) : inFile(parts, key, detail)
}

/**
 * The light fields of a row that is at hand as the file has it. All readers get the same: its own fields are frozen, and
 * what they hold is what is kept here.
 */
export const seen = (entry: Entry | undefined): Fields | undefined => {
  const head = entry?.pending === 0 ? entry.head : undefined
  if (entry === undefined || head === undefined) return undefined
  entry.seen ??= Object.freeze(shown({ head, detail: undefined }, false))
  return entry.seen
}

/** A copy for the caller: what is kept here must not change in its hands, and has fields that are no fields in JSON. */
export const shown = ({ head, detail }: Pick<Standing, 'head' | 'detail'>, asked: boolean): Fields => {
  const row: Fields = {}
  for (const field in head) if (head[field] !== undefined) row[field] = head[field]
  return asked ? Object.assign(row, detail) : row
}
