import type { DatabaseSync } from 'node:sqlite'
import { change, meets } from '../../core/change.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Insert, Key, Outcome, Remove, Update } from '../../ports/store.ts'
import { asksAny, changesAny, type Fields, split } from './change.ts'
import type { Before, Row } from './entry.ts'
import type { HighWater } from './high-water.ts'
import type { Hot } from './hot.ts'
import type { Plan } from './plan.ts'
import { openRecords } from './records.ts'
import type { Draft } from './script.ts'
import { durableOf, lastOf, NOTHING, nameOf, type Parts, type Standing, seen, shown } from './standing.ts'

export type Table = ReturnType<typeof openTable>
type Needs = { db: DatabaseSync; plan: Plan; clock: Clock; draft: Draft; hot: Hot; highWater: HighWater }

/** What stands for a removed row until that is durable. */
const GONE = { head: undefined, detail: undefined, detailSize: 0, detailText: undefined }
/** What a record is before it is there. */
const NEW: Before = { head: undefined, aside: false }

const ABSENT: Outcome<Fields> = Object.freeze({ applied: false, row: undefined })

/** A row of a clustered table that cannot be there yet: nothing to look up, and hardly ever looked for. */
const insertFresh = ({ records, plan, hot }: Parts, row: Fields): Outcome<Fields> => {
  const size = records.check(row)
  const { addAll } = records
  hot.fresh.add({ addAll, within: String(row[plan.within ?? '']), key: String(row[plan.key]), row }, size)
  return { applied: true, row }
}

const insert = (parts: Parts, { row }: Insert<Fields>, asked: boolean): Outcome<Fields> => {
  const { records, plan, rows, hot } = parts
  const isNew = parts.isNew(String(row[plan.key]))
  if (isNew && plan.clustered) return insertFresh(parts, row)
  const key = keyOf(plan, row)
  const name = nameOf(key)
  const known = isNew ? undefined : rows.get(name)
  const there = isNew ? undefined : lastOf(parts, key, known, asked)
  if (there !== undefined && !parts.expired(there.head)) return { applied: false, row: shown(there, asked) }
  const { head, detail = NOTHING } = split(row, plan.heavy)
  records.check(head)
  // What has expired or was just removed is written over.
  const at = there?.at ?? known?.at ?? records.newAddress(row)
  // A collection without detail writes none.
  const detailText = plan.heavy.size === 0 ? undefined : JSON.stringify(detail)
  const left = { at, head, detail, detailSize: detailText?.length ?? 0, detailText }
  hot.put({ rows, name, records }, known, left, there ?? NEW)
  return { applied: true, row: asked && plan.heavy.size > 0 ? row : shown(left, asked) }
}

const keyOf = ({ within, key }: Plan, row: Fields): Key =>
  within === undefined ? String(row[key]) : [String(row[within]), String(row[key])]

/** A key stays for the life of its row: no change may name it with another value. */
const refuseNewKey = ({ plan }: Parts, head: Fields, { set, add, unset }: Update<Fields>) => {
  for (const field of plan.keys) {
    const moved = set?.[field] !== undefined && set[field] !== head[field]
    if (moved || add?.[field] !== undefined || unset?.includes(field))
      throw new TypeError(`${field} of ${plan.name} cannot change: it is a key`)
  }
}

/** Detail is read when a condition, a change or the caller names it, and written only when it is changed. */
const update = (parts: Parts, write: Update<Fields>, asked: boolean): Outcome<Fields> => {
  const { plan, rows } = parts
  const changesDetail = plan.heavy.size > 0 && changesAny(plan.heavy, write)
  const asksDetail = asksAny(plan.heavy, write.when)
  const name = nameOf(write.key)
  const known = rows.get(name)
  const there = lastOf(parts, write.key, known, changesDetail || asksDetail || asked)
  if (there === undefined || parts.expired(there.head)) return ABSENT
  if (!meets(asksDetail ? whole(there) : there.head, write.when))
    return { applied: false, row: shown(there, asked) }
  refuseNewKey(parts, there.head, write)
  const left = changesDetail ? changedWhole(plan, there, write) : changedHead(there, write)
  parts.records.check(left.head, write.set ?? NOTHING)
  parts.hot.put({ rows, name, records: parts.records }, known, left, there)
  return { applied: true, row: asked ? whole(left) : shown(left, false) }
}

const whole = ({ head, detail }: Pick<Standing, 'head' | 'detail'>): Fields =>
  Object.assign({ ...head }, detail)

type Left = Row & { head: Fields }

/** The light fields changed alone; the detail stays as it is. */
const changedHead = ({ at, head: before, detail, detailSize }: Standing, write: Update<Fields>): Left => {
  const head = { ...before }
  change(head, write)
  return { at, head, detail, detailSize, detailText: undefined }
}

const changedWhole = ({ heavy }: Plan, there: Standing, write: Update<Fields>): Left => {
  const row = whole(there)
  change(row, write)
  const { head, detail = NOTHING } = split(row, heavy)
  const detailText = JSON.stringify(detail)
  return { at: there.at, head, detail, detailSize: detailText.length, detailText }
}

const remove = (parts: Parts, { key, when }: Remove<Fields>, asked: boolean): Outcome<Fields> => {
  const { plan, rows, records, hot } = parts
  const name = nameOf(key)
  const known = rows.get(name)
  const there = lastOf(parts, key, known, asked || asksAny(plan.heavy, when))
  if (there === undefined || parts.expired(there.head)) return ABSENT
  const row = shown(there, asked)
  if (!meets(whole(there), when)) return { applied: false, row }
  hot.put({ rows, name, records }, known, { ...GONE, at: there.at }, there)
  return { applied: true, row }
}

const get = (parts: Parts, key: Key, detail: boolean): Fields | undefined => {
  const there = durableOf(parts, key, detail)
  return there === undefined || parts.expired(there.head) ? undefined : shown(there, detail)
}

/** One collection: its conditional writes, decided at once and added to the draft, and its reads by key. */
export const openTable = ({ db, plan, clock, draft, hot, highWater }: Needs) => {
  const { expires } = plan
  const expired = (row: Fields) => expires !== undefined && Number(row[expires] ?? Infinity) <= clock.now()
  const records = openRecords({ db, plan, draft })
  const parts: Parts = { plan, records, hot, rows: hot.rows(), isNew: highWater.of(plan.name), expired }
  return {
    plan,
    detailOf: records.detailOf,
    get: (key: Key, detail: boolean) => get(parts, key, detail),
    /** Whether any row was written lately. */
    get hasAtHand() {
      return parts.rows.size > 0
    },
    /** The light fields of a row that needs not be read, expired or not: it was written lately. */
    atHand: (key: Key) => seen(parts.rows.get(nameOf(key))),
    insert: (write: Insert<Fields>, detail: boolean) => insert(parts, write, detail),
    update: (write: Update<Fields>, detail: boolean) => update(parts, write, detail),
    remove: (write: Remove<Fields>, detail: boolean) => remove(parts, write, detail),
    /** Removes a record whatever its row says. */
    purge: (key: Key) => {
      const name = nameOf(key)
      const known = parts.rows.get(name)
      const there = lastOf(parts, key, known, false)
      if (there === undefined || !expired(there.head)) return
      hot.put({ rows: parts.rows, name, records }, known, { ...GONE, at: there.at }, there)
    },
  }
}
