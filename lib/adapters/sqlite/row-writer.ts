import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { getOrCreate } from '../../core/get-or-create.ts'
import { type Cell, cell, type Fields, type Plan, quoted } from './plan.ts'
import type { StoredRow } from './row-reader.ts'

/** The removal of a row takes as long as the writing of so many characters. */
const REMOVED_ROW = 200

/**
 * Writes of one collection's records, in the open transaction. `written` is told the length of each text. Throws TypeError
 * for a row that JSON or an index refuses, and SQLite's error.
 */
export const openRowWriter = (db: DatabaseSync, plan: Plan, written: (characters: number) => void) => {
  const { table, detailTable, keys, columns, heavy, clustered, address } = plan
  const where = address.map((column) => `${column} = ?`).join(' AND ')
  const names = ['_head', ...[...keys, ...columns].map(quoted)]
  const insert = db.prepare(
    `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
  )
  const remove = db.prepare(`DELETE FROM ${table} WHERE ${where}`)
  const removeAll = clustered ? db.prepare(`DELETE FROM ${table} WHERE ${address[0]} = ?`) : undefined
  const hasDetail = heavy.size > 0
  const putDetail = hasDetail ? db.prepare(`REPLACE INTO ${detailTable} VALUES (?, ?)`) : undefined
  const removeDetail = hasDetail ? db.prepare(`DELETE FROM ${detailTable} WHERE _rid = ?`) : undefined
  const updates = new Map<string, StatementSync>()

  const jsonText = (value: Fields): string => {
    const text = JSON.stringify(value)
    written(text.length)
    return text
  }

  return {
    insert: (head: Fields, detail: Fields): void => {
      const values: Cell[] = [jsonText(head)]
      for (const field of keys) values.push(keyCell(plan, head, field))
      for (const field of columns) values.push(cell(head[field], field))
      const { lastInsertRowid } = insert.run(...values)
      putDetail?.run(lastInsertRowid, jsonText(detail))
    },
    /** An undefined `detail` leaves the heavy fields unchanged. */
    update: ({ at, head: before }: StoredRow, head: Fields, detail?: Fields): void => {
      const values: Cell[] = [jsonText(head)]
      // Only changed columns are set: SQLite rewrites the entry of every index whose column is named.
      let set = '_head = ?'
      for (const field of columns) {
        const value = cell(head[field], field)
        if (value === cell(before[field], field)) continue
        set += `, "${field}" = ?`
        values.push(value)
      }
      const update = () => db.prepare(`UPDATE ${table} SET ${set} WHERE ${where}`)
      getOrCreate(updates, set, update).run(...values, ...at)
      if (detail !== undefined) putDetail?.run(...at, jsonText(detail))
    },
    remove: ({ at }: StoredRow): void => {
      remove.run(...at)
      removeDetail?.run(...at)
    },
    /** Removes all rows of an owner, from a clustered table. */
    removeAll: (owner: string): void => {
      written(Number(removeAll?.run(owner).changes ?? 0) * REMOVED_ROW)
    },
  }
}

const keyCell = (plan: Plan, row: Fields, field: string): string => {
  const value = row[field]
  if (typeof value !== 'string') throw new TypeError(`${field} of ${plan.name} must be a text: it is a key`)
  return value
}
