import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite'
import { fold } from '../../core/fold.ts'
import { getOrCreate } from '../../core/get-or-create.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Page, Position, Query, Scalar, Test } from '../../ports/store.ts'
import { cell, type Fields, type IndexPlan, type Plan, quoted, type Sql } from './plan.ts'
import { openSearch } from './search-index.ts'
import type { ParseRow, RowReader } from './stored-rows.ts'

type Listed = readonly SQLOutputValue[]

/** Reads of many rows, each one statement, prepared once per shape. */
export const openQueries = (db: DatabaseSync, clock: Clock, parseRow: ParseRow) => {
  const statement = statementCache(db)
  const searches = new Map<Plan, ReturnType<typeof openSearch>>()

  /** The rows that have the words of a query; undefined for a query without words. */
  const found = (plan: Plan, { where = [] }: Selection): Found | undefined => {
    const words = where.flatMap((test) => ('words' in test ? test.words : []))
    return words.length === 0
      ? undefined
      : getOrCreate(searches, plan, () => openSearch(db, plan)).find(words)
  }

  const count = (plan: Plan, query: Selection, among: Found | undefined): number => {
    const index = findIndex(plan, query)
    const isFoundOnly = query.where?.every((test) => 'words' in test) && query.index === plan.search?.allRows
    if (among !== undefined && isFoundOnly) return among.count
    const { text, values } = selected(plan, index, query, among, clock.now())
    const sql = `SELECT count(*) FROM ${indexedTable(plan, index, among)} WHERE ${text}`
    const [rows] = statement(sql).get(...values) as unknown as Listed
    return Number(rows)
  }
  return {
    page: ({ plan, readDetail }: RowReader, query: Query<Fields>): Page<Fields> => {
      const among = found(plan, query)
      const { text, values, hasDetail } = pageSql(plan, query, among, clock.now())
      const records = statement(text).all(...values) as unknown as Listed[]
      const hasMore = records.length > query.limit
      if (hasMore) records.pop()
      const rows = records.map(([summary, rid]) => {
        const row = parseRow(String(summary))
        return hasDetail ? { ...row, ...readDetail([Number(rid)]) } : row
      })
      const last = hasMore ? rows.at(-1) : undefined
      return {
        rows,
        next: last === undefined ? undefined : positionIn(plan, query, last),
        ...(query.total === true ? { total: count(plan, query, among) } : {}),
        ...(among === undefined ? {} : { searched: searchedNames(plan) }),
      }
    },
    count: (plan: Plan, query: Selection): number => count(plan, query, found(plan, query)),
  }
}

/** The table of the numbers of found rows, and how many there are. */
type Found = { table: string; count: number }

const searchedNames = ({ search }: Plan) => search?.texts.map(({ name }) => name) ?? []

type Selection = Pick<Query<Fields>, 'index' | 'is' | 'where'>
/**
 * The sort order of rows; `nullable` when rows may lack the field, which no row of an index does for the index's field.
 */
type Ordering = { by: string; value: string; nullable: boolean; index: IndexPlan }

const findIndex = (plan: Plan, { index, is }: Selection): IndexPlan => {
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
const selected = (
  plan: Plan,
  index: IndexPlan,
  query: Selection,
  among: Found | undefined,
  now: number,
): Sql => {
  const { within, by } = index
  const expires = plan.expires === undefined ? undefined : quoted(plan.expires)
  return both([
    { text: `${quoted(by)} IS NOT NULL`, values: [] },
    among && { text: `_rid IN (SELECT _rid FROM ${among.table})`, values: [] },
    within === undefined ? undefined : { text: `${quoted(within)} = ?`, values: [cell(query.is, within)] },
    expires === undefined ? undefined : { text: `(${expires} IS NULL OR ${expires} > ?)`, values: [now] },
    ...(query.where ?? []).flatMap((test) => ('words' in test ? [] : [testSql(plan, test)])),
  ])
}

const findOrdering = (plan: Plan, index: IndexPlan, sort: string | undefined): Ordering => {
  const by = sort ?? index.by
  if (plan.detail.has(by)) throw new Error(`${plan.name} cannot be sorted by ${by}: it is detail`)
  return { by, value: fieldSql(plan, by), nullable: by !== index.by, index }
}

/** Ties are broken by the key; in an index across owners, whose keys may be equal, then by the owner. */
const tieFields = (plan: Plan, { crossing }: IndexPlan): string[] =>
  crossing && plan.within !== undefined ? [plan.key, plan.within] : [plan.key]

/** The tie fields of a row as the `key` of a position: with the owner a JSON pair. */
const tieText = (fields: readonly string[], row: Fields): string =>
  fields.length === 1 ? String(row[fields[0] as string]) : JSON.stringify(fields.map((field) => row[field]))

const ties = (fields: readonly string[], { key }: Position): string[] =>
  fields.length === 1 ? [key] : JSON.parse(key)

/**
 * Rows after a position. NULL sorts below every value: a row without the sort field is first in ascending order, last in
 * descending order.
 */
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

/** So many rows are sorted faster than an index is walked that may have very many. */
const FEW = 2_000

/** Names the tree to read, so that the planner cannot turn a page into a sort; few found rows are read by their numbers. */
const indexedTable = (plan: Plan, { clustered, name }: IndexPlan, among: Found | undefined) =>
  `${plan.table} ${clustered || (among?.count ?? FEW) < FEW ? 'NOT INDEXED' : `INDEXED BY ${name}`}`

/** The statement of a page, with one extra row that shows whether more follow; `hasDetail` adds `_rid` to its records. */
const pageSql = (
  plan: Plan,
  query: Query<Fields>,
  among: Found | undefined,
  now: number,
): Sql & { hasDetail: boolean } => {
  const index = findIndex(plan, query)
  const ordering = findOrdering(plan, index, query.sort)
  const { text, values } = both([
    selected(plan, index, query, among, now),
    query.after === undefined ? undefined : beyond(plan, ordering, query.order, query.after),
  ])
  const order = [ordering.value, ...tieFields(plan, index).map(quoted)]
  const hasDetail = query.detail === true && plan.detail.size > 0
  return {
    hasDetail,
    text: `SELECT _head${hasDetail ? ', _rid' : ''} FROM ${indexedTable(plan, index, among)} WHERE ${text}
      ORDER BY ${order.map((value) => `${value} ${query.order}`).join(', ')} LIMIT ? OFFSET ?`,
    values: [...values, query.limit + 1, query.offset ?? 0],
  }
}

/** The position of a row in the query's order. */
const positionIn = (plan: Plan, query: Query<Fields>, row: Fields): Position => {
  const index = findIndex(plan, query)
  const by = (row[query.sort ?? index.by] ?? null) as Scalar | null
  return { by, key: tieText(tieFields(plan, index), row) }
}

type Source = { column: string } | { json: string; path: string }

const fieldSource = (plan: Plan, field: string): Source => {
  const column = quoted(field)
  if (plan.keys.includes(field) || plan.columns.includes(field)) return { column }
  const { table, detailTable } = plan
  const json = plan.detail.has(field)
    ? `(SELECT detail FROM ${detailTable} WHERE ${detailTable}._rid = ${table}._rid)`
    : '_head'
  return { json, path: `'$.${field}'` }
}

/** The value of a field: its column if it has one, else extracted from the JSON text. */
const fieldSql = (plan: Plan, field: string): string => {
  const source = fieldSource(plan, field)
  return 'column' in source ? source.column : `json_extract(${source.json}, ${source.path})`
}

const hasPart = (plan: Plan, field: string): string => {
  const source = fieldSource(plan, field)
  const has = `_has(${fieldSql(plan, field)}, ?)`
  return 'column' in source ? has : `(json_type(${source.json}, ${source.path}) = 'text' AND ${has})`
}

const hasAll = (plan: Plan, field: string, items: readonly string[]): string[] => {
  const source = fieldSource(plan, field)
  if ('column' in source) throw new TypeError(`${field} is in a key or an index: it is not a list`)
  return items.map(() => `EXISTS (SELECT 1 FROM json_each(${source.json}, ${source.path}) WHERE value = ?)`)
}

/** A bound value, since the planner refuses a given index for a condition that is false by its text. */
const NEVER: Sql = { text: '?', values: [0] }

const inList = (plan: Plan, { field, in: values }: Extract<Test<Fields>, { in: unknown }>): Sql => {
  if (values.length === 0) return NEVER
  const present = values.filter((value) => value !== null)
  const value = fieldSql(plan, field)
  const isOne = `${value} IN (${present.map(() => '?').join(', ')})`
  return {
    text: present.length < values.length ? `(${isOne} OR ${value} IS NULL)` : isOne,
    values: present.map((one) => cell(one, field)),
  }
}

const containing = (plan: Plan, { fields, contains }: Extract<Test<Fields>, { contains: string }>): Sql => {
  if (fields.length === 0) return NEVER
  const folded = fold(contains)
  const any = fields.map((field) => hasPart(plan, field)).join(' OR ')
  return { text: `(${any})`, values: fields.map(() => folded) }
}

/** Numbers sort before texts in SQLite, so a range without a lower bound begins at the empty text. */
const between = (
  plan: Plan,
  { field, from = '', to }: { field: string; from?: string; to?: string },
): Sql => {
  const value = fieldSql(plan, field)
  if (to === undefined) return { text: `${value} >= ?`, values: [from] }
  return { text: `${value} BETWEEN ? AND ?`, values: [from, to] }
}

/** One test as SQL; that of words is made of the found rows. */
const testSql = (plan: Plan, test: Exclude<Test<Fields>, { words: unknown }>): Sql => {
  if ('in' in test) return inList(plan, test)
  if ('contains' in test) return containing(plan, test)
  // The wanted value is bound: see NEVER.
  if ('exists' in test)
    return { text: `(${fieldSql(plan, test.field)} IS NOT NULL) = ?`, values: [Number(test.exists)] }
  if (!('hasAll' in test)) return between(plan, test)
  return { text: hasAll(plan, test.field, test.hasAll).join(' AND ') || '1', values: [...test.hasAll] }
}

/**
 * Prepared statements by their text, at most `most` of them: the least recently used one is dropped. They answer records
 * as lists: objects take longer to make.
 */
export const statementCache = (db: Pick<DatabaseSync, 'prepare'>, most = 256) => {
  const prepared = new Map<string, StatementSync>()
  return (sql: string): StatementSync => {
    const statement = prepared.get(sql) ?? db.prepare(sql)
    statement.setReturnArrays(true)
    prepared.delete(sql)
    if (prepared.size >= most) prepared.delete(prepared.keys().next().value ?? sql)
    prepared.set(sql, statement)
    return statement
  }
}
