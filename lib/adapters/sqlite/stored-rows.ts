import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { getOrCreate } from '../../core/get-or-create.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Key } from '../../ports/store.ts'
import { type Cell, cell, type Fields, type Plan, quoted } from './plan.ts'
import { openSearchWriter } from './search-index.ts'

/** The address of a record: its `_rid`, or its key in a clustered table. */
type Address = readonly (string | number)[]

/** A stored row, expired or not: its address and its summary. */
export type StoredRow = { at: Address; summary: Readonly<Fields> }

export type RowReader = ReturnType<typeof openRowReader>

export const keyIn = ({ within, key }: Plan, row: Fields): Key =>
  within === undefined ? String(row[key]) : [String(row[within]), String(row[key])]

/** Reads of one collection's rows by key, on one connection. */
export const openRowReader = (db: DatabaseSync, plan: Plan, clock: Clock, parseRow: ParseRow) => {
  const { table, keys, clustered, within, name, expires } = plan
  const byKey = keys.map((field) => `${quoted(field)} = ?`).join(' AND ')
  const find = db.prepare(`SELECT _head${clustered ? '' : ', _rid'} FROM ${table} WHERE ${byKey}`)
  find.setReturnArrays(true)
  const findDetail =
    plan.detail.size > 0 ? db.prepare(`SELECT detail FROM ${plan.detailTable} WHERE _rid = ?`) : undefined

  const isExpired = (summary: Fields): boolean =>
    expires !== undefined && Number(summary[expires] ?? Infinity) <= clock.now()

  const stored = (key: Key): StoredRow | undefined => {
    if ((typeof key === 'string') !== (within === undefined))
      throw new TypeError(`A key of ${name} is ${within === undefined ? 'a text' : 'a pair'}`)
    const address = typeof key === 'string' ? [key] : key
    const record = find.get(...address) as unknown as [string, number] | undefined
    if (record === undefined) return undefined
    const [summary, rid] = record
    return { at: clustered ? address : [rid], summary: parseRow(summary) }
  }

  const readDetail = (at: Address): Fields => JSON.parse(String(findDetail?.get(...at)?.detail ?? '{}'))

  return {
    plan,
    isExpired,
    /** The row that is stored under a key, expired or not. Throws TypeError for a key of another form. */
    stored,
    /** The detail of the row at an address. */
    readDetail,
    /** The row for callers, undefined when it is missing or expired. */
    get: (key: Key, detail: boolean): Readonly<Fields> | undefined => {
      const row = stored(key)
      if (row === undefined || isExpired(row.summary)) return undefined
      return detail ? { ...row.summary, ...readDetail(row.at) } : row.summary
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

/** The removal of a row takes as long as the writing of so many characters. */
const REMOVED_ROW = 200

/**
 * Writes of one collection's records, in the open transaction. `countWritten` gets the length of each text. Throws
 * TypeError for a row that JSON or an index refuses, and SQLite's error.
 */
export const openRowWriter = (db: DatabaseSync, plan: Plan, countWritten: (characters: number) => void) => {
  const { table, detailTable, keys, columns, clustered, address } = plan
  const where = address.map((column) => `${column} = ?`).join(' AND ')
  const names = ['_head', ...[...keys, ...columns].map(quoted)]
  const insert = db.prepare(
    `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
  )
  const remove = db.prepare(`DELETE FROM ${table} WHERE ${where}`)
  const removeAll = clustered ? db.prepare(`DELETE FROM ${table} WHERE ${address[0]} = ?`) : undefined
  const hasDetail = plan.detail.size > 0
  const putDetail = hasDetail ? db.prepare(`REPLACE INTO ${detailTable} VALUES (?, ?)`) : undefined
  const removeDetail = hasDetail ? db.prepare(`DELETE FROM ${detailTable} WHERE _rid = ?`) : undefined
  const search = plan.search && openSearchWriter(db, plan)
  const updates = new Map<string, StatementSync>()

  const jsonText = (value: Fields): string => {
    const text = JSON.stringify(value)
    countWritten(text.length)
    return text
  }

  return {
    insert: (summary: Fields, detail: Fields): void => {
      const values: Cell[] = [jsonText(summary)]
      for (const field of keys) values.push(keyCell(plan, summary, field))
      for (const field of columns) values.push(cell(summary[field], field))
      const { lastInsertRowid } = insert.run(...values)
      putDetail?.run(lastInsertRowid, jsonText(detail))
      search?.inserted(Number(lastInsertRowid))
    },
    /** Without `detail`, that of the row stays as it is. */
    update: ({ at, summary: before }: StoredRow, summary: Fields, detail?: Fields): void => {
      const values: Cell[] = [jsonText(summary)]
      // Only changed columns are set: SQLite rewrites the entry of every index whose column is named.
      let set = '_head = ?'
      for (const field of columns) {
        const value = cell(summary[field], field)
        if (value === cell(before[field], field)) continue
        set += `, "${field}" = ?`
        values.push(value)
      }
      const update = () => db.prepare(`UPDATE ${table} SET ${set} WHERE ${where}`)
      getOrCreate(updates, set, update).run(...values, ...at)
      if (detail !== undefined) putDetail?.run(...at, jsonText(detail))
      search?.updated(Number(at[0]), before, summary, detail)
    },
    remove: ({ at }: StoredRow): void => {
      remove.run(...at)
      removeDetail?.run(...at)
      search?.removed(Number(at[0]))
    },
    /** Removes all rows of an owner, from a clustered table. */
    removeAll: (owner: string): void => {
      countWritten(Number(removeAll?.run(owner).changes ?? 0) * REMOVED_ROW)
    },
  }
}

const keyCell = (plan: Plan, row: Fields, field: string): string => {
  const value = row[field]
  if (typeof value !== 'string') throw new TypeError(`${field} of ${plan.name} must be a text: it is a key`)
  return value
}

/** Rows of a few lists. */
const MOST_ROWS = 512
/** The most characters of a row that is kept. */
const LONGEST = 8_192

/** Parses the text of a summary. Its rows are frozen: they are shared. */
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
