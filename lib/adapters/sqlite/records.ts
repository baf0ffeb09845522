import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Key } from '../../ports/store.ts'
import type { Fields } from './change.ts'
import { type Plan, quoted } from './plan.ts'
import { type Cell, cell } from './scalar.ts'

/** A stored record: where it lies, and the row's light fields as JSON text. */
export type Found = { rid: number; head: string }
export type Records = ReturnType<typeof openRecords>

/** Statements kept per table, one for each set of columns that changes together; past them all columns are set. */
const UPDATES = 64

/** An UPDATE that sets only what changed: SQLite rewrites the entry of every index whose column is named. */
const preparedUpdates = (db: DatabaseSync, plan: Plan) => {
  const prepared = new Map<string, StatementSync>()
  return (changed: readonly string[]): StatementSync => {
    const shape = changed.join()
    const known = prepared.get(shape)
    if (known !== undefined) return known
    const columns = changed.map((field) => `, ${quoted(field)} = ?`).join('')
    const statement = db.prepare(`UPDATE ${plan.table} SET _head = ?${columns} WHERE _rid = ?`)
    if (prepared.size < UPDATES) prepared.set(shape, statement)
    return statement
  }
}

/** The detail beside a table: JSON text under the `_rid` of its row. */
const openDetails = (db: DatabaseSync, { detailTable, heavy }: Plan) => {
  const read = db.prepare(`SELECT detail FROM ${detailTable} WHERE _rid = ?`)
  const write = db.prepare(
    `INSERT INTO ${detailTable} VALUES (?, ?) ON CONFLICT DO UPDATE SET detail = excluded.detail`,
  )
  const remove = db.prepare(`DELETE FROM ${detailTable} WHERE _rid = ?`)
  return {
    read: (rid: number): Fields => JSON.parse(String(read.get(rid)?.detail ?? '{}')),
    write: (rid: number, detail: Fields | undefined) => {
      if (detail === undefined) remove.run(rid)
      else write.run(rid, JSON.stringify(detail))
    },
    remove: (rid: number) => heavy.size > 0 && remove.run(rid),
  }
}

/** The statements of one table, prepared once. They neither judge conditions nor know of expiry. */
export const openRecords = (db: DatabaseSync, plan: Plan) => {
  const { table, keys, columns } = plan
  const names = [...keys, ...columns].map(quoted)
  const byKey = keys.map((field) => `${quoted(field)} = ?`).join(' AND ')
  const find = db.prepare(`SELECT _rid AS rid, _head AS head FROM ${table} WHERE ${byKey}`)
  const insert = db.prepare(
    `INSERT INTO ${table} (_head, ${names}) VALUES (?${', ?'.repeat(names.length)}) ON CONFLICT DO NOTHING`,
  )
  const remove = db.prepare(`DELETE FROM ${table} WHERE _rid = ?`)
  const updateOf = preparedUpdates(db, plan)
  const details = openDetails(db, plan)

  const keyCell = (row: Fields, field: string): string => {
    const value = row[field]
    if (typeof value !== 'string') throw new TypeError(`${field} of ${plan.name} must be a text: it is a key`)
    return value
  }

  return {
    details,
    find: (key: Key): Found | undefined => {
      if ((typeof key === 'string') !== (plan.within === undefined))
        throw new TypeError(`A key of ${plan.name} is ${plan.within === undefined ? 'a text' : 'a pair'}`)
      const found = typeof key === 'string' ? find.get(key) : find.get(key[0], key[1])
      return found as Found | undefined
    },
    /** The new record's `_rid`; undefined when the key is taken. */
    insert: (row: Fields, head: string): number | undefined => {
      const values: Cell[] = [head]
      for (const field of keys) values.push(keyCell(row, field))
      for (const field of columns) values.push(cell(row[field], field))
      const { changes, lastInsertRowid } = insert.run(...values)
      return changes === 0 ? undefined : Number(lastInsertRowid)
    },
    /** What the columns of a row hold, to tell afterwards which of them changed. */
    cells: (row: Fields): Cell[] => columns.map((field) => cell(row[field], field)),
    update: (rid: number, before: readonly Cell[], row: Fields, head: string): void => {
      const values: Cell[] = [head]
      const changed: string[] = []
      for (let at = 0; at < columns.length; at += 1) {
        const field = columns[at] as string
        const value = cell(row[field], field)
        if (value === before[at]) continue
        changed.push(field)
        values.push(value)
      }
      values.push(rid)
      updateOf(changed).run(...values)
    },
    remove: (rid: number): void => {
      remove.run(rid)
      details.remove(rid)
    },
  }
}
