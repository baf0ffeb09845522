import { fold } from '../../core/fold.ts'
import type { Test } from '../../ports/store.ts'
import type { Fields } from './change.ts'
import { type Plan, quoted } from './plan.ts'
import { type Cell, cell } from './scalar.ts'

/** SQL text, and the values that its question marks stand for, in order. Values never enter the text. */
export type Sql = { text: string; values: Cell[] }

type Source = { column: string } | { json: string; path: string }

const sourceOf = (plan: Plan, field: string): Source => {
  const column = quoted(field)
  if (plan.keys.includes(field) || plan.columns.includes(field)) return { column }
  const { table, detailTable } = plan
  const json = plan.heavy.has(field)
    ? `coalesce(_small, (SELECT detail FROM ${detailTable} WHERE ${detailTable}._rid = ${table}._rid))`
    : '_head'
  return { json, path: `'$.${field}'` }
}

/** The value of a field: its column where there is one, else dug out of the JSON text. */
export const expressionOf = (plan: Plan, field: string): string => {
  const source = sourceOf(plan, field)
  return 'column' in source ? source.column : `json_extract(${source.json}, ${source.path})`
}

const hasPart = (plan: Plan, field: string): string => {
  const source = sourceOf(plan, field)
  const has = `_has(${expressionOf(plan, field)}, ?)`
  return 'column' in source ? has : `(json_type(${source.json}, ${source.path}) = 'text' AND ${has})`
}

const hasAll = (plan: Plan, field: string, items: readonly string[]): string[] => {
  const source = sourceOf(plan, field)
  if ('column' in source) throw new TypeError(`${field} is in a key or an index: it is not a list`)
  return items.map(() => `EXISTS (SELECT 1 FROM json_each(${source.json}, ${source.path}) WHERE value = ?)`)
}

/** A bound value, since the planner refuses to walk a given index for a condition that is false by its text. */
const NEVER: Sql = { text: '?', values: [0] }

const oneOf = (plan: Plan, { field, in: values }: Extract<Test<Fields>, { in: unknown }>): Sql => {
  if (values.length === 0) return NEVER
  const marks = values.map(() => '?').join(', ')
  return {
    text: `${expressionOf(plan, field)} IN (${marks})`,
    values: values.map((value) => cell(value, field)),
  }
}

const containing = (plan: Plan, { fields, contains }: Extract<Test<Fields>, { contains: string }>): Sql => {
  if (fields.length === 0) return NEVER
  const folded = fold(contains)
  const any = fields.map((field) => hasPart(plan, field)).join(' OR ')
  return { text: `(${any})`, values: fields.map(() => folded) }
}

/** Numbers sort before texts in SQLite, so a range that is open below begins at the empty text. */
const between = (
  plan: Plan,
  { field, from = '', to }: { field: string; from?: string; to?: string },
): Sql => {
  const value = expressionOf(plan, field)
  if (to === undefined) return { text: `${value} >= ?`, values: [from] }
  return { text: `${value} BETWEEN ? AND ?`, values: [from, to] }
}

/** One test as SQL. */
export const testSql = (plan: Plan, test: Test<Fields>): Sql => {
  if ('in' in test) return oneOf(plan, test)
  if ('contains' in test) return containing(plan, test)
  if (!('hasAll' in test)) return between(plan, test)
  return { text: hasAll(plan, test.field, test.hasAll).join(' AND ') || '1', values: [...test.hasAll] }
}
