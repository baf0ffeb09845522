import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import type { Clock } from '../../ports/clock.ts'
import type { Page, Query } from '../../ports/store.ts'
import type { Fields } from './change.ts'
import { countSql, pageSql, positionIn } from './query.ts'
import { inLists, statementCache } from './statements.ts'
import type { Table } from './table.ts'

type Listed = readonly SQLOutputValue[]

/** One long text is parsed sooner than many short ones. */
const parsed = (heads: readonly unknown[]): Fields[] => JSON.parse(`[${heads.join()}]`)
const headOf = (record: Listed) => record[0]

/** Records of `[head, small, rid]`. */
const wholeRows = ({ detailOf }: Table, found: readonly Listed[]): Fields[] =>
  parsed(found.map(headOf)).map((row, n) => {
    const [, small, rid] = found[n] ?? []
    return Object.assign(row, detailOf([Number(rid)], typeof small === 'string' ? small : undefined).detail)
  })

/** Records of `[head, ...key]`, or of the head alone; what was written lately needs not be parsed. */
const lightRows = ({ atHand }: Table, found: readonly Listed[]): Fields[] => {
  if (found[0]?.length === 1) return parsed(found.map(headOf))
  const known = found.map(([, first, second]) =>
    atHand(second === undefined ? String(first) : [String(first), String(second)]),
  )
  return parsed(found.map(([head], n) => (known[n] === undefined ? head : 'null'))).map(
    (row, n) => known[n] ?? row,
  )
}

/** Reads over many rows, each one statement, prepared once per shape. */
export const openReads = (db: DatabaseSync, clock: Clock) => {
  const statement = statementCache(db)
  const listing = statementCache(inLists(db))
  const count = ({ plan }: Table, query: Pick<Query<Fields>, 'index' | 'is' | 'where'>): number => {
    const { text, values } = countSql(plan, query, clock.now())
    return Number(statement(text).get(...values)?.n)
  }
  return {
    page: (table: Table, query: Query<Fields>): Page<Fields> => {
      const { plan } = table
      // Further back few rows are at hand, and to ask for keys costs more than the parsing that it spares.
      const isFirst = query.after === undefined && !query.offset
      const { text, values, whole } = pageSql(plan, query, clock.now(), isFirst && table.hasAtHand)
      const found = listing(text).all(...values) as unknown as Listed[]
      const more = found.length > query.limit
      if (more) found.pop()
      const rows = whole ? wholeRows(table, found) : lightRows(table, found)
      const last = more ? rows.at(-1) : undefined
      return {
        rows,
        next: last === undefined ? undefined : positionIn(plan, query, last),
        ...(query.total === true ? { total: count(table, query) } : {}),
      }
    },
    count,
  }
}
