import type { QueryCommandInput } from '@aws-sdk/lib-dynamodb'
import { Problem } from '../../../core/errors.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Query as AskedQuery, Page, Position, Scalar } from '../../../ports/store.ts'
import type { BlobOffload } from './blob-offload.ts'
import { type Connection, queryPages } from './connection.ts'
import { type Fields, tieBreakers, visibleRow } from './item.ts'
import { FIRST, placeText, sortable } from './order.ts'
import type { IndexPlan, Plan } from './plan.ts'
import { indexQueries, narrowest, type Place } from './queries.ts'
import type { Rows } from './rows.ts'
import { ALL, createSelect } from './select.ts'
import { createTop, isBeyond } from './sort.ts'
import { isBound, isHopeless, type RowTest, rowTests } from './where.ts'

type Query = Omit<AskedQuery<Fields>, 'where'> & { where?: readonly RowTest[] }

/** The `key` of a position: the key, or a JSON pair with the owner. */
const tieText = (index: IndexPlan, row: Fields): string => {
  const ties = tieBreakers(index, row)
  return ties.length === 1 ? String(ties[0]) : JSON.stringify(ties)
}
const tiesIn = ({ ties }: IndexPlan, { key }: Position): string[] =>
  ties.length === 1 ? [key] : JSON.parse(key)

/** The place of a position, in the index's form. A row without a value is before all rows of the index. */
const indexPlace = (index: IndexPlan, after: Position): string => {
  if (index.own) return after.key || FIRST
  const by = sortable(after.by, index.by)
  return by === undefined ? FIRST : placeText(by, tiesIn(index, after))
}

const rowPosition = (index: IndexPlan, sort: string, row: Fields): Position => ({
  by: (row[sort] ?? null) as Scalar | null,
  key: tieText(index, row),
})

/** The bounds of the rows after a place, including the place: a key condition cannot exclude one end. */
const boundsAfter = (place: string | undefined, order: 'asc' | 'desc') => {
  if (place === undefined) return {}
  return order === 'asc' ? { from: place } : { to: place }
}

type ReadNeeds = { connection: Connection; rows: Rows; blobs: BlobOffload; clock: Clock }

type Matches = { rows: Fields[]; total?: number }

/** The rows of an index, in its order or sorted. Secondary indexes lag by moments; the table itself does not. */
const createReads = (needs: ReadNeeds) => {
  const { connection, clock } = needs
  const { inOrder, all, allWith, complete } = createSelect(needs)

  /** The rows of a page in the order of the index, with one extra when more follow. */
  const walked = async (plan: Plan, place: Place, query: Query): Promise<Fields[]> => {
    const { index } = place
    const { after, offset = 0, limit } = query
    const from = after && indexPlace(index, after)
    const wanted = offset + limit + (from === undefined ? 1 : 2)
    const bounds = boundsAfter(from, query.order)
    const rows: Fields[] = []
    for await (const row of inOrder(plan, place, { ...query, bounds, wanted })) {
      if (from !== undefined && indexPlace(index, rowPosition(index, index.by, row)) === from) continue
      rows.push(row)
      if (rows.length > offset + limit) break
    }
    return rows.slice(offset)
  }

  /** The rows of a page, sorted after all were read, and their total. */
  const ranked = async (plan: Plan, place: Place, query: Query, sort: string): Promise<Matches> => {
    if (plan.detail.has(sort)) throw new Error(`${plan.name} cannot be sorted by ${sort}: it is detail`)
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
    for await (const { Count = 0 } of queryPages(connection, { ...input, Select: 'COUNT' })) n += Count
    return n
  }

  const count = async (plan: Plan, place: Place, where: Query['where']): Promise<number> => {
    const selection = { is: place.is, where, order: 'asc', bounds: {} } as const
    const { inputs, exact } = indexQueries(plan, place.index, selection, clock.now())
    if (exact) return (await Promise.all(inputs.map(countOne))).reduce((sum, n) => sum + n, 0)
    let n = 0
    for await (const _ of all(plan, place, { ...selection, wanted: ALL })) n += 1
    return n
  }

  /** Rows that need individual tests are read once for page and total; DynamoDB counts all others. */
  const matches = async (plan: Plan, place: Place, query: Query, sort: string): Promise<Matches> => {
    const { total = false, where = [] } = query
    if (sort !== place.index.by) return ranked(plan, place, query, sort)
    if (!total) return { rows: await walked(plan, place, query) }
    if (!where.every((test) => isBound(place.index, test))) return ranked(plan, place, query, sort)
    const [rows, n] = await Promise.all([walked(plan, place, query), count(plan, place, where)])
    return { rows, total: n }
  }

  const page = async (plan: Plan, place: Place, query: Query): Promise<Page<Fields>> => {
    const { sort = place.index.by, limit, detail = false } = query
    const { rows, total } = await matches(plan, place, query, sort)
    const more = rows.length > limit
    if (more) rows.pop()
    const last = more ? rows.at(-1) : undefined
    const completeRows = await complete(plan, place, rows, detail)
    return {
      rows: completeRows.map((row) => visibleRow(plan, row, detail)),
      next: last && rowPosition(place.index, sort, last),
      ...(query.total === true ? { total: total ?? 0 } : {}),
    }
  }

  return { page, count }
}

/** The HTTP API limits an answer to 29 s. */
const MOST_MS = 20_000

const tooBroad = ({ indexes }: Plan) => {
  const fields = new Set([...indexes.values()].flatMap(({ within, by }) => [by, within ?? by]))
  const names = [...fields].join(' or ')
  return new Problem(
    'invalid',
    'selection_too_broad',
    `There is too much to look through; narrow the selection by ${names}.`,
  )
}

type DeadlineNeeds = { connection: Connection; clock: Clock; mostMs: number | undefined }

/** Limits the time of a search's reads. After it the search is refused and reads no more. */
const createDeadline =
  ({ connection, clock, mostMs = MOST_MS }: DeadlineNeeds) =>
  async <T>(plan: Plan, work: (connection: Connection) => Promise<T>): Promise<T> => {
    let isOver = false
    const { promise: end, reject } = Promise.withResolvers<never>()
    const cancel = clock.after(mostMs, () => {
      isOver = true
      reject(tooBroad(plan))
    })
    const calling: Connection['calling'] = async (call) => {
      if (isOver) throw tooBroad(plan)
      return connection.calling(call)
    }
    try {
      return await Promise.race([work({ ...connection, calling }), end])
    } finally {
      cancel()
    }
  }

const findIndex = (plan: Plan, name: string): IndexPlan => {
  const index = plan.indexes.get(name)
  if (index === undefined) throw new Error(`${plan.name} declares no index ${name}`)
  return index
}

/** Whether rows may have to be read that do not match. */
const isSearch = ({ where = [], sort, total }: Pick<Query, 'where' | 'sort' | 'total'>) =>
  where.length > 0 || sort !== undefined || total === true

/** Pages and counts; a search for rows may take `mostMs`. */
export const createPages = (needs: ReadNeeds & { mostMs: number | undefined }) => {
  const withinDeadline = createDeadline(needs)
  const plain = createReads(needs)

  const reading = <T>(plan: Plan, query: Query, work: (reads: typeof plain) => Promise<T>): Promise<T> =>
    isSearch(query)
      ? withinDeadline(plan, (connection) => work(createReads({ ...needs, connection })))
      : work(plain)

  const narrowed = (plan: Plan, query: AskedQuery<Fields>) => {
    const { place, where } = narrowest(
      plan,
      { index: findIndex(plan, query.index), is: query.is },
      rowTests(plan, query.where),
    )
    return { place, query: { ...query, where } }
  }

  const page = async (plan: Plan, asked: AskedQuery<Fields>): Promise<Page<Fields>> => {
    const { place, query } = narrowed(plan, asked)
    const isSearched = asked.where?.some((test) => 'words' in test) === true
    const searched = isSearched ? { searched: plan.search.map(({ name }) => name) } : {}
    if (isHopeless(query.where))
      return { rows: [], next: undefined, ...(asked.total === true ? { total: 0 } : {}), ...searched }
    return { ...(await reading(plan, query, (reads) => reads.page(plan, place, query))), ...searched }
  }

  const count = async (plan: Plan, asked: AskedQuery<Fields>): Promise<number> => {
    const { place, query } = narrowed(plan, asked)
    if (isHopeless(query.where)) return 0
    return reading(plan, query, (reads) => reads.count(plan, place, query.where))
  }

  return { page, count }
}
