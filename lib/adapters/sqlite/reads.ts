import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import type { Clock } from '../../ports/clock.ts'
import type { Page, Query } from '../../ports/store.ts'
import type { Fields } from './change.ts'
import { countSql, pageSql, positionIn } from './query.ts'
import { inLists, statementCache } from './statements.ts'
import type { Table } from './table.ts'

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
      const { plan, detailOf } = table
      const { text, values } = pageSql(plan, query, clock.now())
      const found = listing(text).all(...values) as unknown as SQLOutputValue[][]
      const more = found.length > query.limit
      if (more) found.pop()
      // One long text is parsed sooner than many short ones.
      const heads: Fields[] = JSON.parse(`[${found.map(([head]) => head).join()}]`)
      const rows = heads.map((row, n) => {
        const [, small, rid] = found[n] ?? []
        if (rid === undefined) return row
        return Object.assign(
          row,
          detailOf([Number(rid)], typeof small === 'string' ? small : undefined).detail,
        )
      })
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
