import type { Position, Query, Scalar } from '../../ports/store.ts'
import type { Fields } from './change.ts'
import { PACKED_ORDER, recordsFrom, unpacked } from './packs.ts'
import { type IndexPlan, type Plan, quoted } from './plan.ts'
import { cell } from './scalar.ts'
import { expressionOf, type Sql, testSql } from './where.ts'

type Selection = Pick<Query<Fields>, 'index' | 'is' | 'where'>
/** What rows are sorted by; `nullable` when rows may lack it, which no row of an index does for the index's own field. */
type Ordering = { by: string; value: string; nullable: boolean; index: IndexPlan }

const indexOf = (plan: Plan, { index, is }: Selection): IndexPlan => {
  const found = plan.indexes.get(index)
  if (found === undefined) throw new Error(`${plan.name} declares no index ${index}`)
  if ((found.within === undefined) !== (is === undefined))
    throw new Error(`${index} of ${plan.name} ${is === undefined ? 'needs' : 'takes no'} "is"`)
  return found
}

const both = (parts: readonly (Sql | undefined)[]): Sql => {
  const there = parts.filter((part) => part !== undefined)
  return { text: there.map((part) => part.text).join(' AND '), values: there.flatMap((part) => part.values) }
}

/** Rows of the index that pass every test and have not expired. */
const selected = (plan: Plan, index: IndexPlan, query: Selection, now: number): Sql => {
  const { within, by } = index
  const expires = plan.expires === undefined ? undefined : quoted(plan.expires)
  return both([
    { text: `${quoted(by)} IS NOT NULL`, values: [] },
    within === undefined ? undefined : { text: `${quoted(within)} = ?`, values: [cell(query.is, within)] },
    expires === undefined ? undefined : { text: `(${expires} IS NULL OR ${expires} > ?)`, values: [now] },
    ...(query.where ?? []).map((test) => testSql(plan, test)),
  ])
}

const orderingOf = (plan: Plan, index: IndexPlan, sort: string | undefined): Ordering => {
  const by = sort ?? index.by
  if (plan.heavy.has(by)) throw new Error(`${plan.name} cannot be sorted by ${by}: it is detail`)
  return { by, value: expressionOf(plan, by), nullable: by !== index.by, index }
}

/** Ties are broken by the key; where one index spans owners whose keys may be equal, then by the owner. */
const tieFields = (plan: Plan, { crossing }: IndexPlan): string[] =>
  crossing && plan.within !== undefined ? [plan.key, plan.within] : [plan.key]

/** The tie fields of a row as the `key` of a position: where the owner belongs to it, a JSON pair. */
const placeOf = (fields: readonly string[], row: Fields): string =>
  fields.length === 1 ? String(row[fields[0] as string]) : JSON.stringify(fields.map((field) => row[field]))

const ties = (fields: readonly string[], { key }: Position): string[] =>
  fields.length === 1 ? [key] : JSON.parse(key)

/** Rows after a position. NULL sorts below every value: a row without the sort field is first upwards, last downwards. */
const beyond = (plan: Plan, ordering: Ordering, order: 'asc' | 'desc', after: Position): Sql => {
  const { by, value, nullable, index } = ordering
  const fields = tieFields(plan, index)
  const names = fields.map(quoted).join(', ')
  const marks = fields.map(() => '?').join(', ')
  const than = order === 'asc' ? '>' : '<'
  const rest = ties(fields, after)
  if (after.by === null) {
    const tied = `${value} IS NULL AND (${names}) ${than} (${marks})`
    return { text: order === 'asc' ? `(${value} IS NOT NULL OR ${tied})` : `(${tied})`, values: rest }
  }
  const further = `(${value}, ${names}) ${than} (?, ${marks})`
  const absentFollow = order === 'desc' && nullable
  return {
    text: absentFollow ? `(${further} OR ${value} IS NULL)` : further,
    values: [cell(after.by, by), ...rest],
  }
}

/** Names the tree to walk, so that no choice of the planner turns a page into a sort. */
const walk = (plan: Plan, { clustered, name }: IndexPlan) => {
  if (plan.packed) return unpacked(plan)
  return `${plan.table} ${clustered ? 'NOT INDEXED' : `INDEXED BY ${name}`}`
}

/**
 * The statement of a page, one row longer than asked for so that it tells whether more follow. Its records have the head,
 * then where the detail lies if the page is to be `whole`, or the key if they are to have it.
 */
export const pageSql = (
  plan: Plan,
  query: Query<Fields>,
  now: number,
  hasKeys: boolean,
): Sql & { whole: boolean } => {
  const index = indexOf(plan, query)
  const ordering = orderingOf(plan, index, query.sort)
  const isPacked = plan.packed && ordering.by === plan.key
  const { text, values } = both([
    selected(plan, index, query, now),
    query.after === undefined ? undefined : beyond(plan, ordering, query.order, query.after),
    isPacked ? recordsFrom(plan, query) : undefined,
  ])
  const order = isPacked ? PACKED_ORDER : [ordering.value, ...tieFields(plan, index).map(quoted)]
  const whole = query.detail === true && plan.heavy.size > 0
  const columns = ['_head', ...(whole ? ['_small', '_rid'] : hasKeys ? plan.keys.map(quoted) : [])]
  return {
    whole,
    text: `SELECT ${columns.join(', ')} FROM ${walk(plan, index)} WHERE ${text}
      ORDER BY ${order.map((value) => `${value} ${query.order}`).join(', ')} LIMIT ? OFFSET ?`,
    values: [...values, query.limit + 1, query.offset ?? 0],
  }
}

/** The position of a row in the order that the query asked for. */
export const positionIn = (plan: Plan, query: Query<Fields>, row: Fields): Position => {
  const index = indexOf(plan, query)
  const by = (row[query.sort ?? index.by] ?? null) as Scalar | null
  return { by, key: placeOf(tieFields(plan, index), row) }
}

export const countSql = (plan: Plan, query: Selection, now: number): Sql => {
  const index = indexOf(plan, query)
  const { text, values } = selected(plan, index, query, now)
  return { text: `SELECT count(*) AS n FROM ${walk(plan, index)} WHERE ${text}`, values }
}
