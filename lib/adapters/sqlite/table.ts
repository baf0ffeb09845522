import type { DatabaseSync } from 'node:sqlite'
import { change, meets } from '../../core/change.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Key, Remove, Update } from '../../ports/store.ts'
import type { ParseRow } from './parsed-rows.ts'
import type { Fields, Plan } from './plan.ts'
import { keyIn, openRowReader, type RowReader, type StoredRow } from './row-reader.ts'
import { openRowWriter, type RowWriter } from './row-writer.ts'

/** The part of a row that the caller of a write gets. */
export type Part = 'nothing' | 'light' | 'whole'

/**
 * The decision on a write. `row` is the part that the caller gets; an applied one has the light fields before and after,
 * and writes when `write` is called. `expired` are the light fields of a row that an insert replaces.
 */
export type Decision =
  | { applied: false; row: Fields | undefined }
  | {
      applied: true
      row: Fields | undefined
      before: Fields | undefined
      after: Fields | undefined
      expired?: Fields | undefined
      write(): void
    }

export type Table = ReturnType<typeof openTable>
type Needs = {
  db: DatabaseSync
  plan: Plan
  clock: Clock
  parseRow: ParseRow
  written: (characters: number) => void
}
type Rows = { plan: Plan; reader: RowReader; writer: RowWriter }

/** The writes of one collection: each is decided on the state of the open transaction, and written by its decision. */
export const openTable = ({ db, plan, clock, parseRow, written }: Needs) => {
  const reader = openRowReader(db, plan, clock, parseRow)
  const rows = { plan, reader, writer: openRowWriter(db, plan, written) }
  return {
    plan,
    insert: (row: Fields, part: Part) => decideInsert(rows, row, part),
    update: (write: Update<Fields>, part: Part) => decideUpdate(rows, write, part),
    remove: (write: Pick<Remove<Fields>, 'key' | 'when'>, part: Part) => decideRemoval(rows, write, part),
    /** The removal of an expired row; not applied when the row has not expired or is gone. */
    expire: (key: Key): Decision => {
      const stored = rows.reader.stored(key)
      return stored !== undefined && rows.reader.isExpired(stored.head)
        ? removal(rows, stored, undefined)
        : ABSENT
    },
    /** Removes all rows of an owner. */
    removeAll: rows.writer.removeAll,
  }
}

const ABSENT: Decision = Object.freeze({ applied: false, row: undefined })

/** The row that a condition can be tried on. */
const liveRow = ({ reader }: Rows, key: Key): StoredRow | undefined => {
  const stored = reader.stored(key)
  return stored === undefined || reader.isExpired(stored.head) ? undefined : stored
}

/** A copy for the caller, who may change it, without fields that JSON omits. */
const callerRow = (part: Part, head: Fields, detail: () => Fields): Fields | undefined => {
  if (part === 'nothing') return undefined
  const row: Fields = {}
  for (const field in head) if (head[field] !== undefined) row[field] = head[field]
  return part === 'whole' ? Object.assign(row, detail()) : row
}

const decideInsert = (rows: Rows, row: Fields, part: Part): Decision => {
  const { plan, reader, writer } = rows
  const stored = reader.stored(keyIn(plan, row))
  if (stored !== undefined && !reader.isExpired(stored.head)) return refused(rows, stored, part)
  const { head, detail } = split(row, plan.heavy)
  return {
    applied: true,
    row: callerRow(part, head, () => detail),
    before: undefined,
    after: head,
    expired: stored?.head,
    write: () => {
      if (stored !== undefined) writer.remove(stored)
      writer.insert(head, detail)
    },
  }
}

const refused = ({ reader }: Rows, { at, head, small }: StoredRow, part: Part): Decision => ({
  applied: false,
  row: callerRow(part, head, () => reader.detail(at, small)),
})

/** Detail is read when a condition, a change or the caller names it, and written only when it changes. */
const decideUpdate = (rows: Rows, write: Update<Fields>, part: Part): Decision => {
  const { plan, reader, writer } = rows
  const stored = liveRow(rows, write.key)
  if (stored === undefined) return ABSENT
  if (!meetsCondition(rows, stored, write.when)) return refused(rows, stored, part)
  refuseNewKey(plan, stored.head, write)
  const changesDetail = changesAny(plan.heavy, write)
  const row = { ...stored.head, ...(changesDetail ? reader.detail(stored.at, stored.small) : {}) }
  change(row, write)
  const { head, detail } = split(row, changesDetail ? plan.heavy : NONE)
  return {
    applied: true,
    row: callerRow(part, head, () => (changesDetail ? detail : reader.detail(stored.at, stored.small))),
    before: stored.head,
    after: head,
    write: () => writer.update(stored, head, changesDetail ? detail : undefined),
  }
}

const decideRemoval = (
  rows: Rows,
  { key, when }: Pick<Remove<Fields>, 'key' | 'when'>,
  part: Part,
): Decision => {
  const stored = liveRow(rows, key)
  if (stored === undefined) return ABSENT
  const before = refused(rows, stored, part)
  return meetsCondition(rows, stored, when) ? removal(rows, stored, before.row) : before
}

const removal = ({ writer }: Rows, stored: StoredRow, row: Fields | undefined): Decision => ({
  applied: true,
  row,
  before: stored.head,
  after: undefined,
  write: () => writer.remove(stored),
})

const meetsCondition = (
  { plan, reader }: Rows,
  { at, head, small }: StoredRow,
  when: Update<Fields>['when'],
): boolean => meets(namesAny(plan.heavy, when) ? { ...head, ...reader.detail(at, small) } : head, when)

/** A key never changes: no change may name it with another value. */
const refuseNewKey = (plan: Plan, head: Fields, { set, add, unset }: Update<Fields>) => {
  for (const field of plan.keys) {
    const isMoved = set?.[field] !== undefined && set[field] !== head[field]
    if (isMoved || add?.[field] !== undefined || unset?.includes(field))
      throw new TypeError(`${field} of ${plan.name} cannot change: it is a key`)
  }
}

const namesAny = (fields: ReadonlySet<string>, named: object | undefined): boolean => {
  for (const field in named) if (fields.has(field)) return true
  return false
}

/** Whether a change names one of the fields. */
const changesAny = (fields: ReadonlySet<string>, { set, setIfAbsent, add, unset }: Update<Fields>): boolean =>
  fields.size > 0 &&
  (namesAny(fields, set) ||
    namesAny(fields, setIfAbsent) ||
    namesAny(fields, add) ||
    (unset?.some((field) => fields.has(field)) ?? false))

const NONE: ReadonlySet<string> = new Set()

/** Separates the row's light and heavy fields. */
const split = (row: Readonly<Fields>, heavy: ReadonlySet<string>): { head: Fields; detail: Fields } => {
  const detail: Fields = {}
  if (heavy.size === 0) return { head: row, detail }
  const head: Fields = {}
  for (const field in row) (heavy.has(field) ? detail : head)[field] = row[field]
  return { head, detail }
}
