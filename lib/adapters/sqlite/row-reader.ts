import type { DatabaseSync } from 'node:sqlite'
import type { Clock } from '../../ports/clock.ts'
import type { Key } from '../../ports/store.ts'
import { type Fields, type Plan, quoted } from './plan.ts'

/** The address of a record: its `_rid`, or its key in a clustered table. */
type Address = readonly (string | number)[]

/** A stored row, expired or not: its address and its light fields. */
export type StoredRow = { at: Address; head: Readonly<Fields> }

export type RowReader = ReturnType<typeof openRowReader>

export const keyIn = ({ within, key }: Plan, row: Fields): Key =>
  within === undefined ? String(row[key]) : [String(row[within]), String(row[key])]

/** Reads of one collection's rows by key, on one connection. */
export const openRowReader = (db: DatabaseSync, plan: Plan, clock: Clock, parseRow: ParseRow) => {
  const { table, keys, clustered, within, name, heavy, expires } = plan
  const byKey = keys.map((field) => `${quoted(field)} = ?`).join(' AND ')
  const find = db.prepare(`SELECT _head${clustered ? '' : ', _rid'} FROM ${table} WHERE ${byKey}`)
  find.setReturnArrays(true)
  const findDetail =
    heavy.size > 0 ? db.prepare(`SELECT detail FROM ${plan.detailTable} WHERE _rid = ?`) : undefined

  const isExpired = (head: Fields): boolean =>
    expires !== undefined && Number(head[expires] ?? Infinity) <= clock.now()

  const stored = (key: Key): StoredRow | undefined => {
    if ((typeof key === 'string') !== (within === undefined))
      throw new TypeError(`A key of ${name} is ${within === undefined ? 'a text' : 'a pair'}`)
    const address = typeof key === 'string' ? [key] : key
    const record = find.get(...address) as unknown as [string, number] | undefined
    if (record === undefined) return undefined
    const [head, rid] = record
    return { at: clustered ? address : [rid], head: parseRow(head) }
  }

  const detail = (at: Address): Fields => JSON.parse(String(findDetail?.get(...at)?.detail ?? '{}'))

  return {
    plan,
    isExpired,
    /** The row that is stored under a key, expired or not. Throws TypeError for a key of another form. */
    stored,
    /** The heavy fields of a record. */
    detail,
    /** The row for callers, undefined when it is missing or expired. */
    get: (key: Key, whole: boolean): Readonly<Fields> | undefined => {
      const row = stored(key)
      if (row === undefined || isExpired(row.head)) return undefined
      return whole ? { ...row.head, ...detail(row.at) } : row.head
    },
    /** The keys of expired rows, the longest expired first. */
    expiredKeys: expires === undefined ? () => [] : expiredKeys(db, plan, expires, clock),
  }
}

const expiredKeys = (db: DatabaseSync, { table, keys }: Plan, expires: string, clock: Clock) => {
  const names = keys.map(quoted).join(', ')
  const find = db.prepare(
    `SELECT ${names} FROM ${table} WHERE ${quoted(expires)} <= ? ORDER BY ${quoted(expires)} LIMIT ?`,
  )
  return (limit: number): Key[] =>
    find.all(clock.now(), limit).map((row) => {
      const [first = '', second] = keys.map((field) => String(row[field]))
      return second === undefined ? first : [first, second]
    })
}

/** Rows of a few lists. */
const MOST_ROWS = 512
/** The most characters of a row that is kept. */
const LONGEST = 8_192

/** Parses the text of a row's light fields. Its rows are frozen: they are shared. */
export type ParseRow = (text: string) => Readonly<Fields>

const deepFrozen = <T>(value: T): T => {
  if (typeof value !== 'object' || value === null) return value
  for (const part of Object.values(value)) deepFrozen(part)
  return Object.freeze(value)
}

/** Parsed rows by their text: lists and reads of one row see the same text again and again. */
export const createParsedRows = (): ParseRow => {
  const rows = new Map<string, Readonly<Fields>>()
  return (text) => {
    const known = rows.get(text)
    if (known !== undefined) return known
    const row: Fields = deepFrozen(JSON.parse(text))
    if (text.length > LONGEST) return row
    if (rows.size === MOST_ROWS) rows.clear()
    rows.set(text, row)
    return row
  }
}
