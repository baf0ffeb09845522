import type { DatabaseSync } from 'node:sqlite'
import type { Clock } from '../../ports/clock.ts'
import type { Insert, Key, Outcome, Remove, Update } from '../../ports/store.ts'
import { asksAny, change, changesAny, type Fields, meets, split } from './change.ts'
import type { Plan } from './plan.ts'
import { type Found, openRecords, type Records } from './records.ts'

export type Table = ReturnType<typeof openTable>
type Needs = { db: DatabaseSync; plan: Plan; clock: Clock }
type Parts = { plan: Plan; records: Records; expired: (row: Fields) => boolean }
type Standing = { rid: number; row: Fields }

const ABSENT: Outcome<Fields> = Object.freeze({ applied: false, row: undefined })

const rowOf = ({ records }: Parts, found: Found, detail: boolean): Fields => {
  const row = JSON.parse(found.head)
  return detail ? Object.assign(row, records.details.read(found.rid)) : row
}

const standing = (parts: Parts, key: Key, detail: boolean): Standing | undefined => {
  const found = parts.records.find(key)
  if (found === undefined) return undefined
  const row = rowOf(parts, found, detail)
  return parts.expired(row) ? undefined : { rid: found.rid, row }
}

/** The row for the caller: without its detail when that was loaded for a condition only. */
const shown = ({ plan }: Parts, row: Fields, loaded: boolean, asked: boolean): Fields =>
  loaded && !asked ? split(row, plan.heavy).head : row

const keyOf = ({ plan }: Parts, row: Fields): Key =>
  plan.within === undefined ? String(row[plan.key]) : [String(row[plan.within]), String(row[plan.key])]

const insert = (parts: Parts, { row }: Insert<Fields>, asked: boolean): Outcome<Fields> => {
  const { records, plan } = parts
  const { head, detail } = split(row, plan.heavy)
  const text = JSON.stringify(head)
  let rid = records.insert(head, text)
  if (rid === undefined) {
    const found = records.find(keyOf(parts, row))
    if (found === undefined) throw new Error(`${plan.name} refused a row whose key is free`)
    const there = rowOf(parts, found, asked)
    if (!parts.expired(there)) return { applied: false, row: there }
    records.remove(found.rid)
    rid = records.insert(head, text) ?? found.rid
  }
  if (detail !== undefined) records.details.write(rid, detail)
  return { applied: true, row: asked ? { ...head, ...detail } : head }
}

/** A key stays for the life of its row: no change may name it with another value. */
const refuseNewKey = ({ plan }: Parts, row: Fields, { set, add, unset }: Update<Fields>) => {
  for (const field of plan.keys) {
    const moved = set?.[field] !== undefined && set[field] !== row[field]
    if (moved || add?.[field] !== undefined || unset?.includes(field))
      throw new TypeError(`${field} of ${plan.name} cannot change: it is a key`)
  }
}

/** Detail is read when a condition, a change or the caller names it, and written only when it is changed. */
const update = (parts: Parts, write: Update<Fields>, asked: boolean): Outcome<Fields> => {
  const { records, plan } = parts
  const heavy = plan.heavy.size > 0 && changesAny(plan.heavy, write)
  const loaded = heavy || (plan.heavy.size > 0 && (asked || asksAny(plan.heavy, write.when)))
  const there = standing(parts, write.key, loaded)
  if (there === undefined) return ABSENT
  const { rid, row } = there
  if (!meets(row, write.when)) return { applied: false, row: shown(parts, row, loaded, asked) }
  refuseNewKey(parts, row, write)
  const before = records.cells(row)
  change(row, write)
  const { head, detail } = loaded ? split(row, plan.heavy) : { head: row, detail: undefined }
  records.update(rid, before, head, JSON.stringify(head))
  if (heavy) records.details.write(rid, detail)
  return { applied: true, row: asked ? row : head }
}

const remove = (parts: Parts, { key, when }: Remove<Fields>, asked: boolean): Outcome<Fields> => {
  const loaded = parts.plan.heavy.size > 0 && (asked || asksAny(parts.plan.heavy, when))
  const there = standing(parts, key, loaded)
  if (there === undefined) return ABSENT
  const row = shown(parts, there.row, loaded, asked)
  if (!meets(there.row, when)) return { applied: false, row }
  parts.records.remove(there.rid)
  return { applied: true, row }
}

/** One collection: its conditional writes, to be run inside a transaction, and its reads by key. */
export const openTable = ({ db, plan, clock }: Needs) => {
  const { expires } = plan
  const expired = (row: Fields) => expires !== undefined && Number(row[expires] ?? Infinity) <= clock.now()
  const parts: Parts = { plan, records: openRecords(db, plan), expired }
  return {
    plan,
    detailOf: parts.records.details.read,
    get: (key: Key, detail: boolean) => standing(parts, key, detail && plan.heavy.size > 0)?.row,
    insert: (write: Insert<Fields>, detail: boolean) => insert(parts, write, detail),
    update: (write: Update<Fields>, detail: boolean) => update(parts, write, detail),
    remove: (write: Remove<Fields>, detail: boolean) => remove(parts, write, detail),
  }
}
