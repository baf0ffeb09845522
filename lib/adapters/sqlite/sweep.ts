import type { DatabaseSync } from 'node:sqlite'
import type { Clock } from '../../ports/clock.ts'
import type { Key } from '../../ports/store.ts'
import { type Plan, quoted } from './plan.ts'
import type { Table } from './table.ts'

type Needs = { db: DatabaseSync; tables: readonly Table[]; clock: Clock }

/** Finds rows that have expired, at most `limit`, each with the table it is in. */
export const openSweep = ({ db, tables, clock }: Needs) => {
  const finders = tables.flatMap((table) =>
    table.plan.expires === undefined ? [] : [{ table, find: finder(db, table.plan, table.plan.expires) }],
  )
  return (limit: number): { table: Table; key: Key }[] => {
    const found: { table: Table; key: Key }[] = []
    for (const { table, find } of finders)
      for (const key of find(clock.now(), limit - found.length)) found.push({ table, key })
    return found
  }
}

const finder = (db: DatabaseSync, { table, keys }: Plan, expires: string) => {
  const names = keys.map(quoted)
  const find = db.prepare(
    `SELECT ${names.join(', ')} FROM ${table} WHERE ${quoted(expires)} <= ? ORDER BY ${quoted(expires)} LIMIT ?`,
  )
  return (now: number, limit: number): Key[] =>
    find.all(now, limit).map((row) => {
      const [first = '', second] = keys.map((field) => String(row[field]))
      return second === undefined ? first : [first, second]
    })
}
