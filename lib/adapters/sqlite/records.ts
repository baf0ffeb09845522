import type { DatabaseSync } from 'node:sqlite'
import type { Key } from '../../ports/store.ts'
import type { Fields } from './change.ts'
import { openDetails } from './details.ts'
import type { Address, Entry } from './entry.ts'
import type { AddAll } from './fresh.ts'
import { openPacks, packedFinder } from './packs.ts'
import { type Plan, quoted } from './plan.ts'
import { cell } from './scalar.ts'
import type { Draft } from './script.ts'
import { addressed, updater } from './updater.ts'

/** A stored record: where it lies, the row's light fields, and its detail as JSON text if that is not kept aside. */
export type Found = { at: Address; head: Fields; small: string | undefined }
export type Records = ReturnType<typeof openRecords>
type Needs = { db: DatabaseSync; plan: Plan; draft: Draft }

/** Reads of single records; writes go into the draft. Neither judges conditions nor knows of expiry. */
export const openRecords = (needs: Needs) => {
  const { plan } = needs
  const { columns } = plan
  const { insert, update, remove, addAll } = plan.packed ? packed(needs) : single(needs)
  const details = openDetails(needs)

  const drop = (at: Address, aside: boolean): void => {
    remove(at)
    if (aside) details.remove(at)
  }

  return {
    detailOf: details.read,
    find: finder(needs),
    newAddress: addresses(needs),
    /**
     * Throws TypeError for a row that could not be written: records are written later, when it is too late to refuse.
     * `news` are the fields that were not in the record before; says about how much text they are.
     */
    check: (row: Fields, news: Readonly<Fields> = row): number => {
      for (const field of plan.keys) keyCell(plan, row, field)
      for (const field of columns) cell(row[field], field)
      let characters = 0
      for (const field in news) characters += sizeOf(news[field])
      return characters
    },
    /** Adds rows of a clustered table with keys above all that it has. */
    addAll,
    /** Brings the record to what its entry says; returns how much text its head is, and where its detail lies now. */
    write: ({ at, given, head, aside, detailText }: Entry): { headSize: number; aside: boolean } => {
      if (head === undefined) {
        if (given !== undefined) drop(at, aside)
        return { headSize: 0, aside: false }
      }
      const text = JSON.stringify(head)
      const small = details.smallOf(detailText)
      if (given === undefined) insert(at, head, text, small)
      else update(at, given, head, text, small)
      if (detailText !== undefined) {
        if (small === null) details.write(at, detailText)
        else if (aside) details.remove(at)
      }
      return { headSize: text.length, aside: detailText === undefined ? aside : small === null }
    },
  }
}

/** A row a record. */
const single = (needs: Needs) => {
  const { plan, draft } = needs
  const deletion = draft.statement(`DELETE FROM ${plan.table} WHERE ${addressed(plan)}`)
  const insert = inserter(needs)
  const addAll: AddAll = (rows) => {
    for (const row of rows) insert([], row, JSON.stringify(row))
  }
  return { insert, update: updater(needs), remove: (at: Address) => draft.add(deletion, at), addAll }
}

/** Several rows a record, none of which has detail. */
const packed = (needs: Needs): ReturnType<typeof single> => {
  const { put, remove, addAll } = openPacks(needs)
  const insert = (at: Address, _row: Fields, text: string) => put(at, text)
  const update = (at: Address, _before: Fields, _row: Fields, text: string) => put(at, text)
  return { insert, update, remove, addAll }
}

/** Adds a whole record; `small` is its detail where that is not kept aside. */
const inserter = ({ plan, draft }: Needs) => {
  const { table, keys, columns, clustered, heavy } = plan
  const hasDetail = heavy.size > 0
  const own = [...(clustered ? [] : ['_rid']), '_head', ...(hasDetail ? ['_small'] : [])]
  const names = [...own, ...[...keys, ...columns].map(quoted)]
  const marks = names.map(() => '?').join(', ')
  const statement = draft.statement(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${marks})`)
  return (at: Address, row: Fields, text: string, small?: string | null): void => {
    draft.begin(statement, names.length)
    if (!clustered) for (const part of at) draft.value(part)
    draft.value(text)
    if (hasDetail) draft.value(small ?? null)
    for (const field of keys) draft.value(keyCell(plan, row, field))
    for (const field of columns) draft.value(cell(row[field], field))
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

/** Of about how many characters a value is; throws TypeError for what JSON refuses: a bigint, or what contains itself. */
const sizeOf = (value: unknown): number => {
  if (typeof value === 'string') return value.length
  return typeof value === 'object' || typeof value === 'bigint' ? JSON.stringify(value).length : 0
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
