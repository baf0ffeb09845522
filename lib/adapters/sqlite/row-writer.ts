import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { type Cell, cell, type Fields, type Plan, quoted } from './plan.ts'
import type { StoredRow } from './row-reader.ts'

/** One bit each in a 32-bit number. */
const MOST_COLUMNS = 30

/** Detail up to this length is in the record itself: cheaper than a separate record. */
const MOST_INSIDE = 1_000

/** The removal of a row takes as long as the writing of so many characters. */
const REMOVED_ROW = 200

export type RowWriter = ReturnType<typeof openRowWriter>

/**
 * Writes of one collection's records, in the open transaction. `written` is told the length of each text. Throws TypeError
 * for a row that JSON or an index refuses, and SQLite's error.
 */
export const openRowWriter = (db: DatabaseSync, plan: Plan, written: (characters: number) => void) => {
  const { table, detailTable, keys, columns, heavy, clustered, address, name } = plan
  if (columns.length > MOST_COLUMNS) throw new Error(`${name} has more than ${MOST_COLUMNS} columns`)
  const hasDetail = heavy.size > 0
  const where = address.map((column) => `${column} = ?`).join(' AND ')
  const names = ['_head', ...(hasDetail ? ['_small'] : []), ...[...keys, ...columns].map(quoted)]
  const insert = db.prepare(
    `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
  )
  const remove = db.prepare(`DELETE FROM ${table} WHERE ${where}`)
  const removeAll = clustered ? db.prepare(`DELETE FROM ${table} WHERE ${address[0]} = ?`) : undefined
  const details = clustered ? undefined : openDetailTable(db, detailTable)
  const updates = new Map<number, StatementSync>()

  /** Sets only changed columns: SQLite rewrites the entry of every index whose column is named. */
  const updateStatement = (changed: number): StatementSync => {
    const known = updates.get(changed)
    if (known !== undefined) return known
    const set = ['_small', ...columns.map(quoted)].filter((_, bit) => changed & (1 << bit))
    const text = ['_head', ...set].map((column) => `${column} = ?`).join(', ')
    const statement = db.prepare(`UPDATE ${table} SET ${text} WHERE ${where}`)
    updates.set(changed, statement)
    return statement
  }

  const jsonText = (value: Fields): string => {
    const text = JSON.stringify(value)
    written(text.length)
    return text
  }

  return {
    insert: (head: Fields, detail: Fields): void => {
      const text = hasDetail ? jsonText(detail) : '{}'
      const isSmall = text.length <= MOST_INSIDE
      const values: Cell[] = [jsonText(head)]
      if (hasDetail) values.push(isSmall ? text : null)
      for (const field of keys) values.push(keyCell(plan, head, field))
      for (const field of columns) values.push(cell(head[field], field))
      const { lastInsertRowid } = insert.run(...values)
      if (!isSmall) details?.put(Number(lastInsertRowid), text)
    },
    /** An undefined `detail` leaves the heavy fields unchanged. */
    update: ({ at, head: before, small }: StoredRow, head: Fields, detail?: Fields): void => {
      const values: Cell[] = [jsonText(head)]
      let changed = 0
      if (detail !== undefined) {
        const text = jsonText(detail)
        const isSmall = text.length <= MOST_INSIDE
        changed = 1
        values.push(isSmall ? text : null)
        if (!isSmall) details?.put(Number(at[0]), text)
        else if (small === null) details?.remove(Number(at[0]))
      }
      columns.forEach((field, place) => {
        const value = cell(head[field], field)
        if (value === cell(before[field], field)) return
        changed |= 2 << place
        values.push(value)
      })
      updateStatement(changed).run(...values, ...at)
    },
    remove: ({ at, small }: StoredRow): void => {
      remove.run(...at)
      if (small === null) details?.remove(Number(at[0]))
    },
    /** Removes all rows of an owner, from a clustered table. */
    removeAll: (owner: string): void => {
      written(Number(removeAll?.run(owner).changes ?? 0) * REMOVED_ROW)
    },
  }
}

/** The second table has the heavy fields of a record under its `_rid`. */
const openDetailTable = (db: DatabaseSync, table: string) => {
  const put = db.prepare(
    `INSERT INTO ${table} VALUES (?, ?) ON CONFLICT DO UPDATE SET detail = excluded.detail`,
  )
  const remove = db.prepare(`DELETE FROM ${table} WHERE _rid = ?`)
  return {
    put: (rid: number, text: string): void => void put.run(rid, text),
    remove: (rid: number): void => void remove.run(rid),
  }
}

const keyCell = (plan: Plan, row: Fields, field: string): string => {
  const value = row[field]
  if (typeof value !== 'string') throw new TypeError(`${field} of ${plan.name} must be a text: it is a key`)
  return value
}
