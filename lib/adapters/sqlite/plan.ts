import type { Collection, SearchedText } from '../../core/collection.ts'

/** The summary of a row, its detail, or both. */
export type Fields = { [field: string]: unknown }

/** A JSON scalar in SQLite's form: SQLite has no booleans, and absent is NULL. */
export type Cell = string | number | null

/** SQL text, and the values of its question marks in order. Values are never in the text. */
export type Sql = { text: string; values: Cell[] }

/** Throws TypeError for a value without an order: an index over lists or objects would be wrong. */
export const cell = (value: unknown, field: string): Cell => {
  if (typeof value === 'string' || typeof value === 'number') return value
  if (value === undefined || value === null) return null
  if (typeof value === 'boolean') return value ? 1 : 0
  throw new TypeError(`${field} must be a text, a number or a boolean to be indexed or compared`)
}

const NAME = /^[a-zA-Z][a-zA-Z0-9]*$/

/**
 * A declared name as an SQL identifier. Only letters and digits are allowed, so the adapter's own names, with `_`, never
 * collide.
 */
export const quoted = (name: string): string => {
  if (!NAME.test(name))
    throw new Error(`"${name}" cannot name a collection or a field: letters and digits only`)
  return `"${name}"`
}

/** `crossing`: the index spans owners of a collection with `within`, so the owner distinguishes equal keys. */
export type IndexPlan = {
  name: string
  columns: string[]
  within?: string
  by: string
  crossing: boolean
  /** The table itself is in this order, so it needs no separate index. */
  clustered: boolean
}

/**
 * A collection as a table: the key, columns with the fields of indexes and expiry, and the summary of the row
 * (all fields but `detail`) as JSON text in `_head`. Its detail is in a second table under the row's `_rid`: SQLite
 * rewrites a whole record at every update, and a change of status must not write 100 kB of prompt. A collection with
 * `within` and without detail is `clustered`: its small rows are in the order of their keys, next to those of the same
 * owner, in one tree.
 */
export type Plan = {
  name: string
  /** The declared consequences of a write; undefined for a collection without any. */
  follows: Pick<Collection, 'counts' | 'sends' | 'publishes'> | undefined
  /** The collection of its log. */
  log: string | undefined
  table: string
  detailTable: string
  key: string
  within: string | undefined
  keys: string[]
  columns: string[]
  expires: string | undefined
  detail: ReadonlySet<string>
  clustered: boolean
  /** The columns of a record's address, the fastest ones. */
  address: readonly string[]
  indexes: ReadonlyMap<string, IndexPlan>
  /** Its search index, if it declares `search`. */
  search: SearchPlan | undefined
}

/** The index over the searched texts of rows, by their `_rid`, and the table of the rows that are not in it yet. */
type SearchPlan = {
  texts: readonly SearchedText<Fields>[]
  index: string
  unindexed: string
  /** The index of the collection that has every row, if it says which. */
  allRows: string | undefined
}

const planIndex = (of: Collection, index: Collection['indexes'][string]): IndexPlan => {
  const { within, by } = index
  const crossing = of.within !== undefined && of.within !== within
  const columns = [within, by, of.key, crossing ? of.within : undefined].filter(
    (field) => field !== undefined,
  )
  return {
    name: `"${[of.name, within ?? '', by].join('_')}"`,
    columns: [...new Set(columns)],
    ...(within === undefined ? {} : { within }),
    by,
    crossing,
    clustered: of.within !== undefined && of.detail === undefined && within === of.within && by === of.key,
  }
}

const planSearch = (of: Collection, clustered: boolean): SearchPlan | undefined => {
  if (of.search === undefined) return undefined
  if (clustered) throw new Error(`${of.name} cannot be searched: its records have no number`)
  return {
    texts: of.search as readonly SearchedText<Fields>[],
    index: `"${of.name}_search"`,
    unindexed: `"${of.name}_unindexed"`,
    allRows: of.recount?.ofUser || of.expires ? undefined : of.recount?.index,
  }
}

/** Derives the table of a collection; throws for names that SQL does not allow. */
export const planTable = (of: Collection): Plan => {
  const keys = of.within === undefined ? [of.key] : [of.within, of.key]
  const indexes = new Map(Object.entries(of.indexes).map(([name, index]) => [name, planIndex(of, index)]))
  const copied = [...indexes.values()].flatMap((index) => index.columns).concat(of.expires ?? [])
  const columns = [...new Set(copied)].filter((field) => !keys.includes(field))
  const detail = new Set(of.detail)
  const clustered = of.within !== undefined && detail.size === 0
  for (const field of [...keys, ...columns, ...detail]) quoted(field)
  for (const field of [...keys, ...columns])
    if (detail.has(field))
      throw new Error(`${field} of ${of.name} is in a key or an index: it cannot be detail`)
  if (of.log !== undefined && of.within !== undefined)
    throw new Error(`${of.name} cannot have a log: its key is a pair`)
  return {
    name: of.name,
    follows: of.counts || of.sends || of.publishes ? of : undefined,
    log: of.log?.name,
    table: quoted(of.name),
    detailTable: `"${of.name}_detail"`,
    key: of.key,
    within: of.within,
    keys,
    columns,
    expires: of.expires,
    detail,
    clustered,
    address: clustered ? keys.map(quoted) : ['_rid'],
    indexes,
    search: planSearch(of, clustered),
  }
}
