import type { DatabaseSync } from 'node:sqlite'
import { change, meets } from '../../core/change.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Key, Remove, Update } from '../../ports/store.ts'
import type { Fields, Plan } from './plan.ts'
import { keyIn, openRowReader, type StoredRow } from './row-reader.ts'
import { openRowWriter } from './row-writer.ts'

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

const ABSENT: Decision = Object.freeze({ applied: false, row: undefined })

type Needs = { db: DatabaseSync; plan: Plan; clock: Clock; written: (characters: number) => void }
export type Table = ReturnType<typeof openTable>

/** The writes of one collection: each is decided on the state of the open transaction, and written by its decision. */
export const openTable = ({ db, plan, clock, written }: Needs) => {
  const { stored, detail, isExpired } = openRowReader(db, plan, clock, JSON.parse)
  const writer = openRowWriter(db, plan, written)

  /** The row that a condition can be tried on. */
  const liveRow = (key: Key): StoredRow | undefined => {
    const row = stored(key)
    return row === undefined || isExpired(row.head) ? undefined : row
  }

  const refused = ({ at, head }: StoredRow, part: Part): Decision => ({
    applied: false,
    row: callerRow(part, head, () => detail(at)),
  })

  const meetsCondition = ({ at, head }: StoredRow, when: Update<Fields>['when']): boolean =>
    meets(namesAny(plan.heavy, when) ? { ...head, ...detail(at) } : head, when)

  const removal = (row: StoredRow, before: Fields | undefined): Decision => ({
    applied: true,
    row: before,
    before: row.head,
    after: undefined,
    write: () => writer.remove(row),
  })

  return {
    plan,
    insert: (row: Fields, part: Part): Decision => {
      const known = stored(keyIn(plan, row))
      if (known !== undefined && !isExpired(known.head)) return refused(known, part)
      const [head, heavy] = split(row, plan.heavy)
      return {
        applied: true,
        row: callerRow(part, head, () => heavy),
        before: undefined,
        after: head,
        expired: known?.head,
        write: () => {
          if (known !== undefined) writer.remove(known)
          writer.insert(head, heavy)
        },
      }
    },
    /** Detail is read when a condition, a change or the caller names it, and written only when it changes. */
    update: (write: Update<Fields>, part: Part): Decision => {
      const known = liveRow(write.key)
      if (known === undefined) return ABSENT
      const { at, head: before } = known
      if (!meetsCondition(known, write.when)) return refused(known, part)
      refuseNewKey(plan, before, write)
      const changesDetail = changesAny(plan.heavy, write)
      const row = { ...before, ...(changesDetail ? detail(at) : {}) }
      change(row, write)
      const [after, heavy] = split(row, plan.heavy)
      return {
        applied: true,
        row: callerRow(part, after, () => (changesDetail ? heavy : detail(at))),
        before,
        after,
        write: () => writer.update(known, after, changesDetail ? heavy : undefined),
      }
    },
    remove: ({ key, when }: Pick<Remove<Fields>, 'key' | 'when'>, part: Part): Decision => {
      const known = liveRow(key)
      if (known === undefined) return ABSENT
      const before = refused(known, part)
      return meetsCondition(known, when) ? removal(known, before.row) : before
    },
    /** The removal of an expired row; not applied when the row has not expired or is gone. */
    expire: (key: Key): Decision => {
      const known = stored(key)
      return known !== undefined && isExpired(known.head) ? removal(known, undefined) : ABSENT
    },
    /** Writes a row without a decision. Throws SQLite's error when its key is there. */
    append: (row: Fields): void => writer.insert(row, {}),
    /** Removes all rows of an owner. */
    removeAll: writer.removeAll,
  }
}

/** A copy for the caller, who may change it, without fields that JSON omits. */
const callerRow = (part: Part, head: Fields, detail: () => Fields): Fields | undefined => {
  if (part === 'nothing') return undefined
  const row: Fields = {}
  for (const field in head) if (head[field] !== undefined) row[field] = head[field]
  return part === 'whole' ? Object.assign(row, detail()) : row
}

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
const changesAny = (fields: ReadonlySet<string>, { set, setIfAbsent, add, unset = [] }: Update<Fields>) =>
  [set, setIfAbsent, add].some((named) => namesAny(fields, named)) || unset.some((field) => fields.has(field))

/** The light fields of a row, and its heavy ones. */
const split = (row: Readonly<Fields>, heavy: ReadonlySet<string>): [light: Fields, heavy: Fields] => {
  if (heavy.size === 0) return [row, {}]
  const parts: [Fields, Fields] = [{}, {}]
  for (const field in row) parts[heavy.has(field) ? 1 : 0][field] = row[field]
  return parts
}
