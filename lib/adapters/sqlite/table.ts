import type { DatabaseSync } from 'node:sqlite'
import { change, meets } from '../../core/change.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Key, Remove, Update } from '../../ports/store.ts'
import type { Fields, Plan } from './plan.ts'
import { keyIn, openRowReader, openRowWriter, type StoredRow } from './stored-rows.ts'

/** The part of a row that the caller of a write gets. */
export type Part = 'nothing' | 'summary' | 'with detail'

/**
 * The decision on a write. `row` is the part that the caller gets; an applied one has the summary before and after, and
 * writes when `write` is called. `expired` is the summary of a row that an insert replaces.
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

type Needs = { db: DatabaseSync; plan: Plan; clock: Clock; countWritten: (characters: number) => void }
export type Table = ReturnType<typeof openTable>

/** The writes of one collection: each is decided on the state of the open transaction, and written by its decision. */
export const openTable = ({ db, plan, clock, countWritten }: Needs) => {
  const { stored, readDetail, isExpired } = openRowReader(db, plan, clock, JSON.parse)
  const writer = openRowWriter(db, plan, countWritten)

  /** The row that a condition can be tried on. */
  const liveRow = (key: Key): StoredRow | undefined => {
    const row = stored(key)
    return row === undefined || isExpired(row.summary) ? undefined : row
  }

  const refused = ({ at, summary }: StoredRow, part: Part): Decision => ({
    applied: false,
    row: callerRow(part, summary, () => readDetail(at)),
  })

  const meetsCondition = ({ at, summary }: StoredRow, when: Update<Fields>['when']): boolean =>
    meets(namesAny(plan.detail, when) ? { ...summary, ...readDetail(at) } : summary, when)

  const removal = (row: StoredRow, before: Fields | undefined): Decision => ({
    applied: true,
    row: before,
    before: row.summary,
    after: undefined,
    write: () => writer.remove(row),
  })

  return {
    plan,
    insert: (row: Fields, part: Part): Decision => {
      const known = stored(keyIn(plan, row))
      if (known !== undefined && !isExpired(known.summary)) return refused(known, part)
      const [summary, detail] = split(row, plan.detail)
      return {
        applied: true,
        row: callerRow(part, summary, () => detail),
        before: undefined,
        after: summary,
        expired: known?.summary,
        write: () => {
          if (known !== undefined) writer.remove(known)
          writer.insert(summary, detail)
        },
      }
    },
    /** Detail is read when a condition, a change or the caller names it, and written only when it changes. */
    update: (write: Update<Fields>, part: Part): Decision => {
      const known = liveRow(write.key)
      if (known === undefined) return ABSENT
      const { at, summary: before } = known
      if (!meetsCondition(known, write.when)) return refused(known, part)
      refuseNewKey(plan, before, write)
      const changesDetail = changesAny(plan.detail, write)
      const row = { ...before, ...(changesDetail ? readDetail(at) : {}) }
      change(row, write)
      const [after, detail] = split(row, plan.detail)
      return {
        applied: true,
        row: callerRow(part, after, () => (changesDetail ? detail : readDetail(at))),
        before,
        after,
        write: () => writer.update(known, after, changesDetail ? detail : undefined),
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
      return known !== undefined && isExpired(known.summary) ? removal(known, undefined) : ABSENT
    },
    /** Writes a row without a decision. Throws SQLite's error when its key is there. */
    append: (row: Fields): void => writer.insert(row, {}),
    /** Removes all rows of an owner. */
    removeAll: writer.removeAll,
  }
}

/** A copy for the caller, who may change it, without fields that JSON omits. */
const callerRow = (part: Part, summary: Fields, readDetail: () => Fields): Fields | undefined => {
  if (part === 'nothing') return undefined
  const row: Fields = {}
  for (const field in summary) if (summary[field] !== undefined) row[field] = summary[field]
  return part === 'with detail' ? Object.assign(row, readDetail()) : row
}

/** A key never changes: no change may name it with another value. */
const refuseNewKey = (plan: Plan, summary: Fields, { set, add, unset }: Update<Fields>) => {
  for (const field of plan.keys) {
    const isMoved = set?.[field] !== undefined && set[field] !== summary[field]
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

const split = (row: Readonly<Fields>, detail: ReadonlySet<string>): [summary: Fields, detail: Fields] => {
  if (detail.size === 0) return [row, {}]
  const parts: [Fields, Fields] = [{}, {}]
  for (const field in row) parts[detail.has(field) ? 1 : 0][field] = row[field]
  return parts
}
