import type { DatabaseSync } from 'node:sqlite'
import type { Query } from '../../ports/store.ts'
import { type Fields, type Plan, quoted, type Sql } from './plan.ts'
import type { Address } from './row-cache.ts'
import type { BatchBuilder } from './write-batch.ts'

type Needs = { plan: Plan; batch: BatchBuilder }

/**
 * Records of a `packed` table: `_head` is a JSON list of one owner's rows in the order of their keys, and the record's
 * key is at most that of its first row.
 *
 * Invariant: a row is in the record with the highest key that is at most its own. Normally new rows are above all
 * existing ones, so the rows that one batch adds to an owner form new records; late ones go into an existing record.
 *
 * SQLite reads JSON of at most a thousand levels (https://sqlite.org/json1.html), one of which is the list: a row may
 * have 999.
 */
export const openPackedRows = ({ plan, batch }: Needs) => {
  const { add, addFirst, sortIn, takeOut, removeEmpty } = statementsOf({ plan, batch })
  return {
    /** Adds rows with keys above all of their owner's. */
    addAll: (rows: readonly Fields[]): void => {
      const ofOwner = Map.groupBy(rows, (row) => String(row[plan.within ?? '']))
      for (const [owner, [first, ...more]] of ofOwner)
        batch.add(add, [owner, String(first?.[plan.key]), JSON.stringify([first, ...more])])
    },
    /** Adds or replaces a row in the record where it belongs. */
    put: (at: Address, text: string): void => {
      batch.add(sortIn, [...at, text])
      batch.add(addFirst, [...at, text])
    },
    remove: (at: Address): void => {
      batch.add(takeOut, at)
      batch.add(removeEmpty, at)
    },
  }
}

/** They take the owner as ?1, the key as ?2 and, if they write one, the text as ?3. */
const statementsOf = ({ plan, batch }: Needs) => {
  const { table, within, key, id } = named(plan)
  const where = `${within} = ?1 AND ${key} = ${recordOf(plan)}`
  const others = `SELECT value AS one FROM json_each(_head) WHERE value ->> ${id} <> ?2`
  const listed = (rows: string) => `SELECT json_group_array(json(one) ORDER BY one ->> ${id}) FROM (${rows})`
  const intoTable = `INSERT INTO ${table} (${within}, ${key}, _head)`
  return {
    add: batch.statement(`${intoTable} VALUES (?1, ?2, ?3)`),
    /** For a row below all records. */
    addFirst: batch.statement(`${intoTable} SELECT ?1, ?2, '[' || ?3 || ']' WHERE ${recordOf(plan)} IS NULL`),
    sortIn: batch.statement(
      `UPDATE ${table} SET _head = (${listed(`${others} UNION ALL SELECT ?3`)}) WHERE ${where}`,
    ),
    takeOut: batch.statement(`UPDATE ${table} SET _head = (${listed(others)}) WHERE ${where}`),
    removeEmpty: batch.statement(`DELETE FROM ${table} WHERE ${where} AND _head = '[]'`),
  }
}

const named = ({ table, within = '', key }: Plan) => ({
  table,
  within: quoted(within),
  key: quoted(key),
  id: `'${key}'`,
})

/** The key of the record for the row with the key ?2 of the owner ?1; NULL without one. */
const recordOf = (plan: Plan): string => {
  const { table, within, key } = named(plan)
  return `(SELECT max(${key}) FROM ${table} WHERE ${within} = ?1 AND ${key} <= ?2)`
}

/** The rows of a packed table in place of its records, each with its record and its place there. */
export const unpacked = (plan: Plan): string => {
  const { table, within, key, id } = named(plan)
  return `(SELECT ${table}.${within}, json_each.value ->> ${id} AS ${key}, json_each.value AS _head,
    ${table}.${key} AS _record, json_each.key AS _place FROM ${table}, json_each(${table}._head))`
}

/** The order of the keys, in which SQLite unpacks only the needed records. */
export const PACKED_ORDER = ['_record', '_place']

/** The bounds of the records that may contain such keys. */
export const recordsFrom = (plan: Plan, { is, order, after }: Query<Fields>): Sql | undefined => {
  if (after === undefined) return undefined
  if (order === 'desc') return { text: '_record < ?', values: [after.key] }
  const { table, within, key } = named(plan)
  const first = `SELECT max(${key}) FROM ${table} WHERE ${within} = ? AND ${key} <= ?`
  return { text: `_record >= coalesce((${first}), '')`, values: [String(is), after.key] }
}

/** Reads the text of one row. */
export const packedFinder = (db: DatabaseSync, plan: Plan) => {
  const { within, key } = named(plan)
  const isIt = `${within} = ?1 AND ${key} = ?2 AND _record = ${recordOf(plan)}`
  return db.prepare(`SELECT _head AS head FROM ${unpacked(plan)} WHERE ${isIt}`)
}
