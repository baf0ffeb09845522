import { QueryCommand, type QueryCommandInput } from '@aws-sdk/client-dynamodb'
import type { Clock } from '../../../ports/clock.ts'
import type { Page, Query } from '../../../ports/store.ts'
import type { Aside } from './aside.ts'
import type { Connection } from './connection.ts'
import type { Place } from './narrow.ts'
import type { Plan } from './plan.ts'
import { boundsAfter, placeOf, positionOf, tiesIn } from './position.ts'
import { queriesOf } from './queries.ts'
import { shown } from './row.ts'
import type { Rows } from './rows.ts'
import { ALL, createSelect } from './select.ts'
import { createTop, isBeyond } from './sort.ts'
import type { Fields } from './value.ts'
import { isBound } from './where.ts'

export type ReadNeeds = { connection: Connection; rows: Rows; aside: Aside; clock: Clock }

type Found = { rows: Fields[]; total?: number }

/** Rows of an index, in its order or sorted. Secondary indexes lag behind by moments; the table itself does not. */
export const createReads = (needs: ReadNeeds) => {
  const { connection, clock } = needs
  const { inOrder, all, allWith, complete } = createSelect(needs)

  /** The rows of a page in the order of the index, one more than asked for when more follow. */
  const walked = async (plan: Plan, place: Place, query: Query<Fields>): Promise<Fields[]> => {
    const { index } = place
    const { after, offset = 0, limit } = query
    const from = after && placeOf(index, after)
    const wanted = offset + limit + (from === undefined ? 1 : 2)
    const bounds = boundsAfter(from, query.order)
    const found: Fields[] = []
    for await (const row of inOrder(plan, place, { ...query, bounds, wanted })) {
      if (from !== undefined && placeOf(index, positionOf(index, index.by, row)) === from) continue
      found.push(row)
      if (found.length > offset + limit) break
    }
    return found.slice(offset)
  }

  /** The same of all rows, sorted after they were read, and how many there are. */
  const ranked = async (plan: Plan, place: Place, query: Query<Fields>, sort: string): Promise<Found> => {
    if (plan.heavy.has(sort)) throw new Error(`${plan.name} cannot be sorted by ${sort}: it is detail`)
    const { after, order, offset = 0, limit } = query
    const ordering = { sort, order, ties: place.index.ties }
    const from = after && { by: after.by, ties: tiesIn(place.index, after) }
    const top = createTop({ ...ordering, size: offset + limit + 1 })
    let total = 0
    for await (const row of allWith(plan, place, { ...query, bounds: {}, wanted: ALL }, sort)) {
      total += 1
      if (from === undefined || isBeyond(row, from, ordering)) top.add(row)
    }
    return { rows: top.rows().slice(offset), total }
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

  const count = async (plan: Plan, place: Place, where: Query<Fields>['where']): Promise<number> => {
    const selection = { is: place.is, where, order: 'asc', bounds: {} } as const
    const { inputs, exact } = queriesOf(plan, place.index, selection, clock.now())
    if (exact) return (await Promise.all(inputs.map(countOne))).reduce((sum, n) => sum + n, 0)
    let n = 0
    for await (const _ of all(plan, place, { ...selection, wanted: ALL })) n += 1
    return n
  }

  /** Rows that are judged one by one are read once for page and total; all others DynamoDB counts by itself. */
  const found = async (plan: Plan, place: Place, query: Query<Fields>, sort: string): Promise<Found> => {
    const { total = false, where = [] } = query
    if (sort !== place.index.by) return ranked(plan, place, query, sort)
    if (!total) return { rows: await walked(plan, place, query) }
    if (!where.every((test) => isBound(place.index, test))) return ranked(plan, place, query, sort)
    const [rows, n] = await Promise.all([walked(plan, place, query), count(plan, place, where)])
    return { rows, total: n }
  }

  const page = async (plan: Plan, place: Place, query: Query<Fields>): Promise<Page<Fields>> => {
    const { sort = place.index.by, limit, detail = false } = query
    const { rows, total } = await found(plan, place, query, sort)
    const more = rows.length > limit
    if (more) rows.pop()
    const last = more ? rows.at(-1) : undefined
    const shownRows = await complete(plan, place, rows, detail)
    return {
      rows: shownRows.map((row) => shown(plan, row, detail)),
      next: last && positionOf(place.index, sort, last),
      ...(query.total === true ? { total: total ?? 0 } : {}),
    }
  }

  return { page, count }
}
