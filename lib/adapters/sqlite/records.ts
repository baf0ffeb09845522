import type { DatabaseSync } from 'node:sqlite'
import type { Key } from '../../ports/store.ts'
import { openPackedRows, packedFinder } from './packed-rows.ts'
import { cell, type Fields, type Plan, quoted } from './plan.ts'
import type { AddAll, Address, Entry } from './row-cache.ts'
import type { BatchBuilder } from './write-batch.ts'

/**
 * A stored record: its address, the row's light fields, and its detail as JSON text if that is not in a separate record.
 */
type Found = { at: Address; head: Fields; small: string | undefined }
export type Records = ReturnType<typeof openRecords>
type Needs = { db: DatabaseSync; plan: Plan; batch: BatchBuilder }

/** Reads of single records; writes go into the write batch. Conditions and expiry are checked elsewhere. */
export const openRecords = (needs: Needs) => {
  const { plan } = needs
  const { columns } = plan
  const { insert, update, remove, addAll } = plan.packed ? packed(needs) : single(needs)
  const details = openDetails(needs)

  const drop = (at: Address, isDetached: boolean): void => {
    remove(at)
    if (isDetached) details.remove(at)
  }

  return {
    detailOf: details.read,
    find: finder(needs),
    newAddress: addresses(needs),
    /**
     * Throws TypeError for a row that cannot be written: records are written later, when it is too late to refuse. `news`
     * are the fields that are new in the record; returns their approximate length.
     */
    check: (row: Fields, news: Readonly<Fields> = row): number => {
      for (const field of plan.keys) keyCell(plan, row, field)
      for (const field of columns) cell(row[field], field)
      let characters = 0
      for (const field in news) characters += sizeOf(news[field])
      return characters
    },
    /** Adds rows of a clustered table with keys above all existing ones. */
    addAll,
    /** Writes the state of an entry to the record; returns the length of its head, and whether its detail is separate. */
    write: ({
      at,
      given,
      head,
      isDetached,
      detailText,
    }: Entry): { headSize: number; isDetached: boolean } => {
      if (head === undefined) {
        if (given !== undefined) drop(at, isDetached)
        return { headSize: 0, isDetached: false }
      }
      const text = JSON.stringify(head)
      const small = details.smallOf(detailText)
      if (given === undefined) insert(at, head, text, small)
      else update(at, given, head, text, small)
      if (detailText !== undefined) {
        if (small === null) details.write(at, detailText)
        else if (isDetached) details.remove(at)
      }
      return { headSize: text.length, isDetached: detailText === undefined ? isDetached : small === null }
    },
  }
}

/** One row per record. */
const single = (needs: Needs) => {
  const { plan, batch } = needs
  const deletion = batch.statement(`DELETE FROM ${plan.table} WHERE ${addressed(plan)}`)
  const insert = inserter(needs)
  const addAll: AddAll = (rows) => {
    for (const row of rows) insert([], row, JSON.stringify(row))
  }
  return { insert, update: updater(needs), remove: (at: Address) => batch.add(deletion, at), addAll }
}

/** Several rows per record, none of them with detail. */
const packed = (needs: Needs): ReturnType<typeof single> => {
  const { put, remove, addAll } = openPackedRows(needs)
  const insert = (at: Address, _row: Fields, text: string) => put(at, text)
  const update = (at: Address, _before: Fields, _row: Fields, text: string) => put(at, text)
  return { insert, update, remove, addAll }
}

/** Adds a record; `small` is its detail if that is not separate. */
const inserter = ({ plan, batch }: Needs) => {
  const { table, keys, columns, clustered, heavy } = plan
  const hasDetail = heavy.size > 0
  const own = [...(clustered ? [] : ['_rid']), '_head', ...(hasDetail ? ['_small'] : [])]
  const names = [...own, ...[...keys, ...columns].map(quoted)]
  const marks = names.map(() => '?').join(', ')
  const statement = batch.statement(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${marks})`)
  return (at: Address, row: Fields, text: string, small?: string | null): void => {
    batch.begin(statement, names.length)
    if (!clustered) for (const part of at) batch.value(part)
    batch.value(text)
    if (hasDetail) batch.value(small ?? null)
    for (const field of keys) batch.value(keyCell(plan, row, field))
    for (const field of columns) batch.value(cell(row[field], field))
  }
}

const finder = ({ db, plan }: Needs) => {
  const { table, keys, clustered, within, name, heavy } = plan
  const byKey = keys.map((field) => `${quoted(field)} = ?`).join(' AND ')
  const columns = [
    '_head AS head',
    ...(clustered ? [] : ['_rid AS rid']),
    ...(heavy.size > 0 ? ['_small AS small'] : []),
  ]
  const find = plan.packed
    ? packedFinder(db, plan)
    : db.prepare(`SELECT ${columns.join(', ')} FROM ${table} WHERE ${byKey}`)
  const smallOf = (small: unknown) => (typeof small === 'string' ? small : undefined)
  return (key: Key): Found | undefined => {
    if ((typeof key === 'string') !== (within === undefined))
      throw new TypeError(`A key of ${name} is ${within === undefined ? 'a text' : 'a pair'}`)
    const parts = typeof key === 'string' ? [key] : key
    const found = find.get(...parts)
    if (found === undefined) return undefined
    const { head, small, rid } = found
    return {
      at: clustered ? parts : [Number(rid)],
      head: JSON.parse(String(head)),
      small: heavy.size === 0 ? '{}' : smallOf(small),
    }
  }
}

/**
 * The approximate number of characters of a value; throws TypeError for a value that JSON refuses: a bigint, or a cycle.
 */
const sizeOf = (value: unknown): number => {
  if (typeof value === 'string') return value.length
  return typeof value === 'object' || typeof value === 'bigint' ? JSON.stringify(value).length : 0
}

const keyCell = (plan: Plan, row: Fields, field: string): string => {
  const value = row[field]
  if (typeof value !== 'string') throw new TypeError(`${field} of ${plan.name} must be a text: it is a key`)
  return value
}

/**
 * Numbers of new records are assigned here, since no other process writes: later writes use them before the records
 * exist.
 */
const addresses = ({ db, plan }: Needs) => {
  if (plan.clustered) return (row: Fields): Address => plan.keys.map((field) => String(row[field]))
  let last = Number(db.prepare(`SELECT max(_rid) AS last FROM ${plan.table}`).get()?.last ?? 0)
  return (): Address => [++last]
}

/** One bit each in a 32-bit number. */
const MOST_COLUMNS = 30

/** Selects one record by its address. */
const addressed = ({ address }: Plan) => address.map((column) => `${column} = ?`).join(' AND ')

/** Sets only changed columns: SQLite rewrites the entry of every index whose column is named. */
export const updater = ({ plan, batch }: Omit<Needs, 'db'>) => {
  const { columns, address, name } = plan
  if (columns.length > MOST_COLUMNS) throw new Error(`${name} has more than ${MOST_COLUMNS} columns`)
  type Statement = { number: number; values: number }
  const statements = new Map<number, Statement>()
  /** By one bit for the small detail and one for each column. */
  const statementOf = (changed: number): Statement => {
    const known = statements.get(changed)
    if (known !== undefined) return known
    const set = ['_small', ...columns.map(quoted)].filter((_, bit) => changed & (1 << bit))
    const names = ['_head', ...set].map((name) => `${name} = ?`).join(', ')
    const number = batch.statement(`UPDATE ${plan.table} SET ${names} WHERE ${addressed(plan)}`)
    const made = { number, values: 1 + set.length + address.length }
    statements.set(changed, made)
    return made
  }
  /** An undefined `small` leaves the detail unchanged. */
  return (at: Address, before: Fields, row: Fields, text: string, small: string | null | undefined): void => {
    let changed = small === undefined ? 0 : 1
    columns.forEach((field, place) => {
      if (cell(row[field], field) !== cell(before[field], field)) changed |= 2 << place
    })
    const { number, values } = statementOf(changed)
    batch.begin(number, values)
    batch.value(text)
    if (small !== undefined) batch.value(small)
    columns.forEach((field, place) => {
      if (changed & (2 << place)) batch.value(cell(row[field], field))
    })
    for (const part of at) batch.value(part)
  }
}

/** The heavy fields of a row, and their number of characters. */
type Detail = { detail: Fields; detailSize: number }

/** Detail up to this length is in the record itself: cheaper than a separate record. */
const MOST_INSIDE = 1_000
const NO_DETAIL = '{}'

/** The detail of a table's records: JSON text in `_small`, or in the second table under the `_rid` of its row. */
const openDetails = ({ db, plan, batch }: Needs) => {
  const { table, detailTable, heavy } = plan
  if (heavy.size === 0) return WITHOUT_DETAIL
  const read = db.prepare(
    `SELECT coalesce(_small, (SELECT detail FROM ${detailTable} WHERE _rid = ?1)) AS detail FROM ${table} WHERE _rid = ?1`,
  )
  const write = batch.statement(
    `INSERT INTO ${detailTable} VALUES (?, ?) ON CONFLICT DO UPDATE SET detail = excluded.detail`,
  )
  const remove = batch.statement(`DELETE FROM ${detailTable} WHERE _rid = ?`)
  return {
    /** The detail of a record, whose `_small` may have been read already. */
    read: (at: Address, small?: string): Detail => {
      const text = small ?? String(read.get(...at)?.detail ?? NO_DETAIL)
      return { detail: JSON.parse(text), detailSize: text.length }
    },
    /** What belongs in the record: the text, null when it has a record of its own, undefined when it is left alone. */
    smallOf: (text: string | undefined): string | null | undefined =>
      text === undefined || text.length <= MOST_INSIDE ? text : null,
    write: (at: Address, text: string): void => batch.add(write, [...at, text]),
    remove: (at: Address): void => batch.add(remove, at),
  }
}

const WITHOUT_DETAIL = {
  read: (_at: Address, _small?: string): Detail => ({ detail: {}, detailSize: 0 }),
  smallOf: (_text: string | undefined): string | null | undefined => undefined,
  write: (_at: Address, _text: string): void => undefined,
  remove: (_at: Address): void => undefined,
}
