import type { DatabaseSync } from 'node:sqlite'
import type { Key } from '../../ports/store.ts'
import type { Fields } from './change.ts'
import { type Plan, quoted } from './plan.ts'
import { type Cell, cell } from './scalar.ts'
import type { Draft } from './script.ts'

/** Where a record lies: its `_rid`, or its key where rows lie in the order of their keys. */
export type Address = readonly (string | number)[]
/** A stored record: where it lies, and the row's light fields. */
export type Found = { at: Address; head: Fields }
export type Records = ReturnType<typeof openRecords>
type Needs = { db: DatabaseSync; plan: Plan; draft: Draft }

const addressed = ({ address }: Plan) => address.map((column) => `${column} = ?`).join(' AND ')

/** Reads of single records; writes go into the draft. Neither judges conditions nor knows of expiry. */
export const openRecords = (needs: Needs) => {
  const { plan, draft } = needs
  const { table, keys, columns, clustered } = plan
  const rid = clustered ? [] : ['_rid']
  const names = [...rid, '_head', ...[...keys, ...columns].map(quoted)]
  const insert = draft.statement(
    `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
  )
  const remove = draft.statement(`DELETE FROM ${table} WHERE ${addressed(plan)}`)
  const updateOf = updates(needs)
  const details = openDetails(needs)
  const newAddress = addresses(needs)

  const cells = (row: Fields, values: Cell[]): Cell[] => {
    for (const field of keys) values.push(keyCell(plan, row, field))
    for (const field of columns) values.push(cell(row[field], field))
    return values
  }

  return {
    details,
    find: finder(needs),
    insert: (row: Fields, text: string): Address => {
      const at = newAddress(row)
      draft.add(insert, cells(row, clustered ? [text] : [...at, text]))
      return at
    },
    /** Sets only the columns that changed: SQLite rewrites the entry of every index whose column is named. */
    update: (at: Address, before: Fields, row: Fields, text: string): void => {
      const values: Cell[] = [text]
      let changed = ''
      for (const field of columns) {
        const value = cell(row[field], field)
        if (value === cell(before[field], field)) continue
        changed += `, ${quoted(field)} = ?`
        values.push(value)
      }
      draft.add(updateOf(changed), [...values, ...at])
    },
    remove: (at: Address): void => {
      draft.add(remove, at)
      details.remove(at)
    },
  }
}

const finder = ({ db, plan }: Needs) => {
  const { table, keys, clustered, within, name } = plan
  const byKey = keys.map((field) => `${quoted(field)} = ?`).join(' AND ')
  const find = db.prepare(
    `SELECT _head AS head${clustered ? '' : ', _rid AS rid'} FROM ${table} WHERE ${byKey}`,
  )
  return (key: Key): Found | undefined => {
    if ((typeof key === 'string') !== (within === undefined))
      throw new TypeError(`A key of ${name} is ${within === undefined ? 'a text' : 'a pair'}`)
    const parts = typeof key === 'string' ? [key] : key
    const found = find.get(...parts)
    if (found === undefined) return undefined
    return { at: clustered ? parts : [Number(found.rid)], head: JSON.parse(String(found.head)) }
  }
}

const keyCell = (plan: Plan, row: Fields, field: string): string => {
  const value = row[field]
  if (typeof value !== 'string') throw new TypeError(`${field} of ${plan.name} must be a text: it is a key`)
  return value
}

/** The numbers of new records are given out here, since nobody else writes: later writes name them before they exist. */
const addresses = ({ db, plan }: Needs) => {
  if (plan.clustered) return (row: Fields): Address => plan.keys.map((field) => String(row[field]))
  let last = Number(db.prepare(`SELECT max(_rid) AS last FROM ${plan.table}`).get()?.last ?? 0)
  return (): Address => [++last]
}

/** One statement for each set of columns that changes together. */
const updates = ({ plan, draft }: Needs) => {
  const known = new Map<string, number>()
  return (changed: string): number => {
    const found = known.get(changed)
    if (found !== undefined) return found
    const made = draft.statement(`UPDATE ${plan.table} SET _head = ?${changed} WHERE ${addressed(plan)}`)
    known.set(changed, made)
    return made
  }
}

/** Heavy fields of a row, and how many characters they take. */
export type Detail = { detail: Fields; detailSize: number }

/** The detail beside a table: JSON text under the `_rid` of its row. */
const openDetails = ({ db, plan, draft }: Needs) => {
  const { detailTable, heavy } = plan
  if (heavy.size === 0) return NO_DETAILS
  const read = db.prepare(`SELECT detail FROM ${detailTable} WHERE _rid = ?`)
  const write = draft.statement(
    `INSERT INTO ${detailTable} VALUES (?, ?) ON CONFLICT DO UPDATE SET detail = excluded.detail`,
  )
  const remove = draft.statement(`DELETE FROM ${detailTable} WHERE _rid = ?`)
  return {
    read: (at: Address): Detail => {
      const text = String(read.get(...at)?.detail ?? '{}')
      return { detail: JSON.parse(text), detailSize: text.length }
    },
    write: (at: Address, text: string | undefined): void =>
      text === undefined ? draft.add(remove, at) : draft.add(write, [...at, text]),
    remove: (at: Address): void => draft.add(remove, at),
  }
}

const NO_DETAILS = {
  read: (_at: Address): Detail => ({ detail: {}, detailSize: 0 }),
  write: (_at: Address, _text: string | undefined): void => undefined,
  remove: (_at: Address): void => undefined,
}
