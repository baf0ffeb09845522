import type { DatabaseSync } from 'node:sqlite'
import type { Fields } from './change.ts'
import type { Address } from './entry.ts'
import type { Plan } from './plan.ts'
import type { Draft } from './script.ts'

type Needs = { db: DatabaseSync; plan: Plan; draft: Draft }
/** Heavy fields of a row, and how many characters they take. */
export type Detail = { detail: Fields; detailSize: number }

/** Detail of up to so many characters lies in the record itself: less to write than a record of its own. */
const MOST_INSIDE = 1_000
const NOTHING = '{}'

/** The detail of a table's records: JSON text in `_small`, or under the `_rid` of its row in the table beside. */
export const openDetails = ({ db, plan, draft }: Needs) => {
  const { table, detailTable, heavy } = plan
  if (heavy.size === 0) return NONE
  const read = db.prepare(
    `SELECT coalesce(_small, (SELECT detail FROM ${detailTable} WHERE _rid = ?1)) AS detail FROM ${table} WHERE _rid = ?1`,
  )
  const write = draft.statement(
    `INSERT INTO ${detailTable} VALUES (?, ?) ON CONFLICT DO UPDATE SET detail = excluded.detail`,
  )
  const remove = draft.statement(`DELETE FROM ${detailTable} WHERE _rid = ?`)
  return {
    /** The detail of a record, whose `_small` may have been read already. */
    read: (at: Address, small?: string): Detail => {
      const text = small ?? String(read.get(...at)?.detail ?? NOTHING)
      return { detail: JSON.parse(text), detailSize: text.length }
    },
    /** What belongs in the record: the text, null when it lies aside, undefined when it is left alone. */
    smallOf: (text: string | undefined): string | null | undefined =>
      text === undefined || text.length <= MOST_INSIDE ? text : null,
    write: (at: Address, text: string): void => draft.add(write, [...at, text]),
    remove: (at: Address): void => draft.add(remove, at),
  }
}

const NONE = {
  read: (_at: Address, _small?: string): Detail => ({ detail: {}, detailSize: 0 }),
  smallOf: (_text: string | undefined): string | null | undefined => undefined,
  write: (_at: Address, _text: string): void => undefined,
  remove: (_at: Address): void => undefined,
}
