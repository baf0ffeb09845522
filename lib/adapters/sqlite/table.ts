import type { DatabaseSync } from 'node:sqlite'
import { change, meets } from '../../core/change.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Key, Remove, Update } from '../../ports/store.ts'
import type { HighWater } from './high-water.ts'
import { unpacked } from './packed-rows.ts'
import { type Fields, type Plan, quoted } from './plan.ts'
import { openRecords, type Records } from './records.ts'
import type { Address, Before, Entry, RowCache, Rows, Version } from './row-cache.ts'
import type { BatchBuilder } from './write-batch.ts'

/** The part of a row that a write returns. */
export type Asked = 'nothing' | 'light' | 'whole'

/**
 * The result of a write: the row as requested, and the light fields before and after. `expired` are those of a row that
 * an insert replaced.
 */
export type Written =
  | { applied: false; row: Fields | undefined }
  | {
      applied: true
      row: Fields | undefined
      before: Fields | undefined
      after: Fields | undefined
      expired?: Fields
    }

type Removal = Omit<Remove<Fields>, 'remove'>

export type Table = ReturnType<typeof openTable>
type Needs = {
  db: DatabaseSync
  plan: Plan
  clock: Clock
  batch: BatchBuilder
  rowCache: RowCache
  highWater: HighWater
}

/** One collection: its conditional writes, decided at once and stored in the row cache, and its reads by key. */
export const openTable = ({ db, plan, clock, batch, rowCache, highWater }: Needs) => {
  const { expires } = plan
  const expired = (row: Fields) => expires !== undefined && Number(row[expires] ?? Infinity) <= clock.now()
  const records = openRecords({ db, plan, batch })
  const rows = rowCache.rows()
  const parts: Parts = { plan, records, rowCache, rows, isNew: highWater.of(plan.name), expired }
  return {
    plan,
    detailOf: records.detailOf,
    get: (key: Key, detail: boolean): Fields | undefined => {
      const there = committedRow(parts, key, detail)
      return there === undefined || expired(there.head) ? undefined : shown(there, detail ? 'whole' : 'light')
    },
    /** Whether any row is cached. */
    get hasCached() {
      return rows.size > 0
    },
    /** The light fields of a cached row, expired or not. */
    cachedRow: (key: Key) => seen(rows.get(nameOf(key))),
    insert: (row: Fields, asked: Asked) => insert(parts, row, asked),
    update: (write: Update<Fields>, asked: Asked) => update(parts, write, asked),
    remove: (write: Removal, asked: Asked) => remove(parts, write, asked),
    /** Removes an expired row; returns its light fields, undefined when it has not expired or does not exist. */
    expire: (key: Key): Fields | undefined => {
      const known = rows.get(nameOf(key))
      const there = decidedRow(parts, key, known, false)
      if (there === undefined || !expired(there.head)) return undefined
      cacheWrite(parts, key, known, gone(there), there)
      return there.head
    },
    /** Keys of expired rows in the file, oldest first. */
    expiredKeys: expires === undefined ? () => [] : expiredKeys(db, plan, expires, clock),
    keysOf: keysOf(db, parts),
  }
}

/** The needs of one table's reads and writes. */
type Parts = {
  plan: Plan
  records: Records
  rowCache: RowCache
  /** The rows of this table in the row cache. */
  rows: Rows
  isNew: ReturnType<HighWater['of']>
  expired: (head: Fields) => boolean
}

/** A row and its address. `detail` is undefined when it was neither requested nor cached; its size is in characters. */
type Located = {
  at: Address
  head: Fields
  detail: Fields | undefined
  detailSize: number
  isDetached: boolean
}

const NOTHING: Fields = Object.freeze({})
/** The state of a record that does not exist yet. */
const NEW: Before = { head: undefined, isDetached: false }
const ABSENT: Written = Object.freeze({ applied: false, row: undefined })

/** Rows of different owners may have the same key. */
export const nameOf = (key: Key): string => (typeof key === 'string' ? key : `${key[0]}\0${key[1]}`)

export const keyOf = ({ within, key }: Plan, row: Fields): Key =>
  within === undefined ? String(row[key]) : [String(row[within]), String(row[key])]

/** The row in the file, expired or not. */
const rowInFile = ({ records }: Parts, key: Key, detail: boolean): Located | undefined => {
  const found = records.find(key)
  if (found === undefined) return undefined
  const { at, head, small } = found
  const isDetached = small === undefined
  if (!detail) return { at, head, detail: undefined, detailSize: 0, isDetached }
  return { at, head, ...records.detailOf(at, small), isDetached }
}

/** The row after the last decided write, expired or not; `entry` is its cache entry. */
const decidedRow = (
  parts: Parts,
  key: Key,
  entry: Entry | undefined,
  detail: boolean,
): Located | undefined => {
  if (entry === undefined) return pendingInsert(parts, key) ?? rowInFile(parts, key, detail)
  const { at, head, isDetached } = entry
  if (head === undefined) return undefined
  if (entry.detail !== undefined || !detail)
    return { at, head, detail: entry.detail, detailSize: entry.detailSize, isDetached }
  // Detail that is not cached has no uncommitted change, so the file has it.
  return { at, head, ...parts.records.detailOf(at), isDetached }
}

const pendingInsert = ({ records, rowCache }: Parts, key: Key): Located | undefined => {
  const head = typeof key === 'string' ? undefined : rowCache.inserts.find(records.addAll, ...key)
  return head && typeof key !== 'string'
    ? { at: key, head, detail: NOTHING, detailSize: 0, isDetached: false }
    : undefined
}

/** The row for readers: the state of the file, which an entry without pending writes has in memory. */
const committedRow = (parts: Parts, key: Key, detail: boolean): Located | undefined => {
  const entry = parts.rows.get(nameOf(key))
  return entry?.pending === 0 ? decidedRow(parts, key, entry, detail) : rowInFile(parts, key, detail)
}

/** The light fields of a cached row in the state of the file. All readers share one object, whose fields are frozen. */
const seen = (entry: Entry | undefined): Fields | undefined => {
  const head = entry?.pending === 0 ? entry.head : undefined
  if (entry === undefined || head === undefined) return undefined
  entry.seen ??= Object.freeze(lightOf(head))
  return entry.seen
}

/** A copy for the caller, who may change it, without fields that JSON omits. */
const lightOf = (head: Fields): Fields => {
  const row: Fields = {}
  for (const field in head) if (head[field] !== undefined) row[field] = head[field]
  return row
}

const shown = ({ head, detail }: Pick<Located, 'head' | 'detail'>, asked: Asked): Fields | undefined => {
  if (asked === 'nothing') return undefined
  return asked === 'whole' ? Object.assign(lightOf(head), detail) : lightOf(head)
}

const whole = ({ head, detail }: Pick<Located, 'head' | 'detail'>): Fields =>
  Object.assign({ ...head }, detail)

const cacheWrite = (
  { rowCache, rows, records }: Parts,
  key: Key,
  known: Entry | undefined,
  left: Version,
  was: Before,
): void => rowCache.put({ rows, name: nameOf(key), records }, known, left, was)

/** Stands for a removed row until the commit. */
const gone = ({ at }: Located): Version => ({
  at,
  head: undefined,
  detail: undefined,
  detailSize: 0,
  detailText: undefined,
})

/** A row of a clustered table that is known to be new: nothing is looked up. */
const insertPending = ({ records, plan, rowCache }: Parts, row: Fields): Written => {
  const size = records.check(row)
  const { addAll } = records
  rowCache.inserts.add(
    { addAll, within: String(row[plan.within ?? '']), key: String(row[plan.key]), row },
    size,
  )
  return { applied: true, row, before: undefined, after: row }
}

const insert = (parts: Parts, row: Fields, asked: Asked): Written => {
  const { records, plan, rows } = parts
  const isNew = parts.isNew(String(row[plan.key]))
  if (isNew && plan.clustered) return insertPending(parts, row)
  const key = keyOf(plan, row)
  const known = isNew ? undefined : rows.get(nameOf(key))
  const there = isNew ? undefined : decidedRow(parts, key, known, asked === 'whole')
  if (there !== undefined && !parts.expired(there.head)) return { applied: false, row: shown(there, asked) }
  const { head, detail = NOTHING } = split(row, plan.heavy)
  records.check(head)
  // An expired or just removed row is replaced.
  const at = there?.at ?? known?.at ?? records.newAddress(row)
  // A collection without detail writes none.
  const detailText = plan.heavy.size === 0 ? undefined : JSON.stringify(detail)
  const left = { at, head, detail, detailSize: detailText?.length ?? 0, detailText }
  cacheWrite(parts, key, known, left, there ?? NEW)
  const answer = asked === 'whole' && plan.heavy.size > 0 ? row : shown(left, asked)
  return { applied: true, row: answer, before: undefined, after: head, ...(there && { expired: there.head }) }
}

/** A key never changes: no change may name it with another value. */
const refuseNewKey = ({ plan }: Parts, head: Fields, { set, add, unset }: Update<Fields>) => {
  for (const field of plan.keys) {
    const moved = set?.[field] !== undefined && set[field] !== head[field]
    if (moved || add?.[field] !== undefined || unset?.includes(field))
      throw new TypeError(`${field} of ${plan.name} cannot change: it is a key`)
  }
}

/** Detail is read when a condition, a change or the caller names it, and written only when it changes. */
const update = (parts: Parts, write: Update<Fields>, asked: Asked): Written => {
  const { plan, rows } = parts
  const changesDetail = plan.heavy.size > 0 && changesAny(plan.heavy, write)
  const asksDetail = namesAny(plan.heavy, write.when)
  const known = rows.get(nameOf(write.key))
  const there = decidedRow(parts, write.key, known, changesDetail || asksDetail || asked === 'whole')
  if (there === undefined || parts.expired(there.head)) return ABSENT
  if (!meets(asksDetail ? whole(there) : there.head, write.when))
    return { applied: false, row: shown(there, asked) }
  refuseNewKey(parts, there.head, write)
  const left = changesDetail ? changedWhole(plan, there, write) : changedHead(there, write)
  parts.records.check(left.head, write.set ?? NOTHING)
  cacheWrite(parts, write.key, known, left, there)
  return { applied: true, row: shown(left, asked), before: there.head, after: left.head }
}

type Left = Version & { head: Fields }

/** Changes light fields only; the detail stays unchanged. */
const changedHead = ({ at, head: before, detail, detailSize }: Located, write: Update<Fields>): Left => {
  const head = { ...before }
  change(head, write)
  return { at, head, detail, detailSize, detailText: undefined }
}

const changedWhole = ({ heavy }: Plan, there: Located, write: Update<Fields>): Left => {
  const row = whole(there)
  change(row, write)
  const { head, detail = NOTHING } = split(row, heavy)
  const detailText = JSON.stringify(detail)
  return { at: there.at, head, detail, detailSize: detailText.length, detailText }
}

const remove = (parts: Parts, { key, when }: Removal, asked: Asked): Written => {
  const known = parts.rows.get(nameOf(key))
  const asksDetail = asked === 'whole' || namesAny(parts.plan.heavy, when)
  const there = decidedRow(parts, key, known, asksDetail)
  if (there === undefined || parts.expired(there.head)) return ABSENT
  const row = shown(there, asked)
  if (!meets(whole(there), when)) return { applied: false, row }
  cacheWrite(parts, key, known, gone(there), there)
  return { applied: true, row, before: there.head, after: undefined }
}

/** The keys of all rows of an owner, also of uncommitted ones. */
const keysOf = (db: DatabaseSync, { plan, records, rowCache, rows }: Parts) => {
  const { within, key, table, packed } = plan
  if (within === undefined) return (_owner: string): string[] => []
  const select = db.prepare(
    `SELECT ${quoted(key)} AS key FROM ${packed ? unpacked(plan) : table} WHERE ${quoted(within)} = ?`,
  )
  return (owner: string): string[] => {
    const inFile = select.all(owner).map((record) => String(record.key))
    const ofOwner = `${owner}\0`
    const cached = [...rows.keys()].filter((name) => name.startsWith(ofOwner))
    const inserted = rowCache.inserts.keysOf(records.addAll, owner)
    return [...new Set([...inFile, ...cached.map((name) => name.slice(ofOwner.length)), ...inserted])]
  }
}

const expiredKeys = (db: DatabaseSync, { table, keys }: Plan, expires: string, clock: Clock) => {
  const names = keys.map(quoted)
  const find = db.prepare(
    `SELECT ${names.join(', ')} FROM ${table} WHERE ${quoted(expires)} <= ? ORDER BY ${quoted(expires)} LIMIT ?`,
  )
  return (limit: number): Key[] =>
    find.all(clock.now(), limit).map((row) => {
      const [first = '', second] = keys.map((field) => String(row[field]))
      return second === undefined ? first : [first, second]
    })
}

const namesAny = (fields: ReadonlySet<string>, named: object | undefined): boolean => {
  for (const field in named) if (fields.has(field)) return true
  return false
}

/** Whether a change names one of the fields. */
const changesAny = (fields: ReadonlySet<string>, { set, setIfAbsent, add, unset }: Update<Fields>): boolean =>
  namesAny(fields, set) ||
  namesAny(fields, setIfAbsent) ||
  namesAny(fields, add) ||
  (unset?.some((field) => fields.has(field)) ?? false)

/**
 * Separates the row's light and heavy fields; without heavy ones `detail` is undefined. Heavy fields stay in `head` as
 * undefined, so that the object keeps its shape.
 */
const split = (
  row: Readonly<Fields>,
  heavy: ReadonlySet<string>,
): { head: Fields; detail: Fields | undefined } => {
  if (heavy.size === 0) return { head: row, detail: undefined }
  const head: Fields = { ...row }
  let detail: Fields | undefined
  for (const field of heavy) {
    const value = head[field]
    if (value === undefined) continue
    detail ??= {}
    detail[field] = value
    head[field] = undefined
  }
  return { head, detail }
}
