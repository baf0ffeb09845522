import type { Position, Scalar } from '../../../ports/store.ts'
import { tiesOf } from './item.ts'
import { FIRST, placeText, sortable } from './order.ts'
import type { IndexPlan } from './plan.ts'
import type { Fields } from './value.ts'

/** The `key` of a position: the key, or where the owner belongs to it a JSON pair. */
const tieText = (index: IndexPlan, row: Fields): string => {
  const ties = tiesOf(index, row)
  return ties.length === 1 ? String(ties[0]) : JSON.stringify(ties)
}
export const tiesIn = ({ ties }: IndexPlan, { key }: Position): string[] =>
  ties.length === 1 ? [key] : JSON.parse(key)

/** The place of a position, as rows of the index have theirs. A row without a value is before all that are in it. */
export const placeOf = (index: IndexPlan, after: Position): string => {
  if (index.own) return after.key || FIRST
  const by = sortable(after.by, index.by)
  return by === undefined ? FIRST : placeText(by, tiesIn(index, after))
}

export const positionOf = (index: IndexPlan, sort: string, row: Fields): Position => ({
  by: (row[sort] ?? null) as Scalar | null,
  key: tieText(index, row),
})

/** The bounds of what comes after a place, that place included: a key condition cannot leave one end out. */
export const boundsAfter = (place: string | undefined, order: 'asc' | 'desc') => {
  if (place === undefined) return {}
  return order === 'asc' ? { from: place } : { to: place }
}
