import { QueryCommand, type QueryCommandInput } from '@aws-sdk/client-dynamodb'
import type { Clock } from '../../../ports/clock.ts'
import type { Page, Position, Query, Scalar } from '../../../ports/store.ts'
import type { Aside } from './aside.ts'
import type { Connection } from './connection.ts'
import { tiesOf } from './item.ts'
import { FIRST, placeText, sortable } from './order.ts'
import type { IndexPlan, Plan } from './plan.ts'
import { queriesOf } from './queries.ts'
import { shown } from './row.ts'
import type { Rows } from './rows.ts'
import { createSelect } from './select.ts'
import { createTop, isBeyond } from './sort.ts'
import type { Fields } from './value.ts'
import { isHopeless } from './where.ts'

type Needs = { connection: Connection; rows: Rows; aside: Aside; clock: Clock }

/** All rows there are. */
const ALL = Number.MAX_SAFE_INTEGER

const indexOf = (plan: Plan, name: string): IndexPlan => {
  const index = plan.indexes.get(name)
  if (index === undefined) throw new Error(`${plan.name} declares no index ${name}`)
  return index
}

/** The `key` of a position: the key, or where the owner belongs to it a JSON pair. */
const tieText = (index: IndexPlan, row: Fields): string => {
  const ties = tiesOf(index, row)
  return ties.length === 1 ? String(ties[0]) : JSON.stringify(ties)
}
const tiesIn = ({ ties }: IndexPlan, { key }: Position): string[] =>
  ties.length === 1 ? [key] : JSON.parse(key)

/** The place of a position, as rows of the index have theirs. A row without a value is before all that are in it. */
const placeOf = (index: IndexPlan, after: Position): string => {
  if (index.own) return after.key || FIRST
  const by = sortable(after.by, index.by)
  return by === undefined ? FIRST : placeText(by, tiesIn(index, after))
}

const positionOf = (index: IndexPlan, sort: string, row: Fields): Position => ({
  by: (row[sort] ?? null) as Scalar | null,
  key: tieText(index, row),
})

/** The bounds of what comes after a place, that place included: a key condition cannot leave one end out. */
const boundsAfter = (place: string | undefined, order: 'asc' | 'desc') => {
  if (place === undefined) return {}
  return order === 'asc' ? { from: place } : { to: place }
}

/** Rows of an index, in its order or sorted. Secondary indexes lag behind by moments; the table itself does not. */
export const createPages = (needs: Needs) => {
  const { connection, clock } = needs
  const { select, withDetail } = createSelect(needs)

  /** The rows of a page in the order of the index, one more than asked for when more follow. */
  const inOrder = async (plan: Plan, index: IndexPlan, query: Query<Fields>): Promise<Fields[]> => {
    const { after, offset = 0, limit } = query
    const place = after && placeOf(index, after)
    const wanted = offset + limit + (place === undefined ? 1 : 2)
    const bounds = boundsAfter(place, query.order)
    const found: Fields[] = []
    for await (const row of select(plan, index, { ...query, bounds, wanted })) {
      if (place !== undefined && placeOf(index, positionOf(index, index.by, row)) === place) continue
      found.push(row)
      if (found.length > offset + limit) break
    }
    return found.slice(offset)
  }

  const sortedBy = async (plan: Plan, index: IndexPlan, query: Query<Fields>, sort: string) => {
    if (plan.heavy.has(sort)) throw new Error(`${plan.name} cannot be sorted by ${sort}: it is detail`)
    const { after, order, offset = 0, limit } = query
    const ordering = { sort, order, ties: index.ties }
    const place = after && { by: after.by, ties: tiesIn(index, after) }
    const top = createTop({ ...ordering, size: offset + limit + 1 })
    for await (const row of select(plan, index, { ...query, bounds: {}, wanted: ALL }))
      if (place === undefined || isBeyond(row, place, ordering)) top.add(row)
    return top.rows().slice(offset)
  }

  const page = async (plan: Plan, query: Query<Fields>): Promise<Page<Fields>> => {
    const index = indexOf(plan, query.index)
    const { sort = index.by, limit, detail = false } = query
    if (isHopeless(query.where)) return { rows: [], next: undefined }
    const found = await (sort === index.by ? inOrder(plan, index, query) : sortedBy(plan, index, query, sort))
    const more = found.length > limit
    if (more) found.pop()
    const last = more ? found.at(-1) : undefined
    const rows = detail ? await withDetail(plan, index, found) : found
    return {
      rows: rows.map((row) => shown(plan, row, detail)),
      next: last && positionOf(index, sort, last),
    }
  }

  const count = async (plan: Plan, query: Pick<Query<Fields>, 'index' | 'is' | 'where'>): Promise<number> => {
    const index = indexOf(plan, query.index)
    if (isHopeless(query.where)) return 0
    const selection = { ...query, order: 'asc', bounds: {}, wanted: ALL } as const
    const { inputs, exact } = queriesOf(plan, index, selection, clock.now())
    if (exact) return (await Promise.all(inputs.map(countOne))).reduce((sum, n) => sum + n, 0)
    let n = 0
    for await (const _ of select(plan, index, selection)) n += 1
    return n
  }

  const countOne = async (input: QueryCommandInput): Promise<number> => {
    let n = 0
    let from: QueryCommandInput['ExclusiveStartKey']
    do {
      const request = new QueryCommand({ ...input, Select: 'COUNT', ExclusiveStartKey: from })
      const { Count = 0, LastEvaluatedKey } = await connection.calling(() => connection.client.send(request))
      n += Count
      from = LastEvaluatedKey
    } while (from !== undefined)
    return n
  }

  return { page, count }
}
