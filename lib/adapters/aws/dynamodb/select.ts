import type { Clock } from '../../../ports/clock.ts'
import type { Aside } from './aside.ts'
import type { Connection } from './connection.ts'
import { attributesOf } from './fixed.ts'
import { hydrate } from './hydrate.ts'
import { keyOf, rowOf } from './item.ts'
import { merged, type Pace } from './merge.ts'
import { isMissing, needsAll, type Place } from './narrow.ts'
import type { IndexPlan, Plan } from './plan.ts'
import { queriesOf, type Selection } from './queries.ts'
import { hasExpired } from './row.ts'
import type { Rows } from './rows.ts'
import { scanned } from './scan.ts'
import { createSlices } from './slices.ts'
import { blobOf, type Fields, type Item } from './value.ts'
import { fieldsOf, judgeAll, type Verdict } from './where.ts'

type Needs = { connection: Connection; rows: Rows; aside: Aside; clock: Clock }
/** Rows between bounds, in an order, of which about so many are `wanted`. */
export type Wanted = Omit<Selection, 'is'> & { wanted: number }
type Tests = Selection['where']
/** All rows there are. */
export const ALL = Number.MAX_SAFE_INTEGER

const MOST_READ = 1_000
/** Of tested rows nobody knows how many have to be read. */
const FIRST_TESTED = 100

const doubled = (size: number) => Math.min(MOST_READ, size * 2)

/** Rows spread over the partitions by chance: what is read in vain costs as much as the rest, what is missing a trip. */
const paceOf = (partitions: number, wanted: number, isTested: boolean): Pace => {
  const part = (rows: number) =>
    Math.min(MOST_READ, Math.ceil(Math.max(1, rows) / Math.max(1, partitions)) + (partitions > 1 ? 1 : 0))
  const ahead = wanted >= ALL
  return isTested
    ? { first: Math.max(FIRST_TESTED, part(wanted)), next: doubled, ahead }
    : { first: part(wanted), next: (_, taken) => part(wanted - taken), ahead }
}

/** Rows that pass every test. They are as the index has them: without detail, long fields maybe as pointers. */
export const createSelect = ({ connection, rows, aside, clock }: Needs) => {
  const { inSlices, sliced } = createSlices(connection)

  const reread = (plan: Plan, row: Fields, detail: boolean) =>
    aside.whole(plan, () => rows.read(plan, keyOf(plan, row)), detail)

  const filled = async (plan: Plan, row: Fields, detail: boolean): Promise<Fields | undefined> =>
    (await aside.filled(plan, row, detail)) ?? reread(plan, row, detail)

  /** Whole rows, in their order; undefined for those that are gone. */
  const whole = async (plan: Plan, some: readonly Fields[], asOf?: 'now' | 'lately') => {
    const items = await hydrate(connection, plan, some, asOf)
    return inSlices(items, async (item) => {
      const row = rows.standing(plan, item)
      return row && filled(plan, row, true)
    })
  }

  /** What the tests look at: most rows fail, and need not be decoded. */
  const tested = ({ expires, fixed }: Plan, item: Item, where: Tests = []): Fields => {
    const fields = [...where.flatMap(fieldsOf), ...(expires === undefined ? [] : [expires])]
    const names = attributesOf(fixed, fields)
    return rowOf(Object.fromEntries(names.flatMap((name) => (item[name] ? [[name, item[name]]] : []))))
  }

  const judged = (plan: Plan, index: IndexPlan, row: Fields, where: Tests): Verdict =>
    hasExpired(plan, row, clock.now())
      ? 'fails'
      : judgeAll(row, where, (field) => !isMissing(plan, index, field) && blobOf(row[field]) === undefined)

  type Candidate = { row: Fields; verdict: Verdict }

  /** Those that pass, in their order; whose fields do not tell are read. */
  const settled = async (plan: Plan, some: readonly Candidate[], where: Tests): Promise<Fields[]> => {
    const unknown = some.filter(({ verdict }) => verdict === 'unknown').map(({ row }) => row)
    const found = await whole(plan, unknown, 'lately')
    const passing = new Set(
      unknown.filter((_, at) => found[at] !== undefined && judgeAll(found[at], where) === 'passes'),
    )
    return some.filter(({ row, verdict }) => verdict === 'passes' || passing.has(row)).map(({ row }) => row)
  }

  /** In the order of the index. The tests are judged here; what DynamoDB filters besides is only not transferred. */
  async function* inOrder(plan: Plan, { index, is }: Place, wish: Wanted): AsyncGenerator<Fields> {
    const { where = [], order, wanted } = wish
    const { inputs } = queriesOf(plan, index, { ...wish, is }, clock.now())
    const pace = paceOf(inputs.length, wanted, where.length > 0)
    let chunk: Candidate[] = []
    let size = Math.min(MOST_READ, wanted)
    for await (const item of merged(connection, inputs, index, order, pace)) {
      const verdict = judged(plan, index, tested(plan, item, where), where)
      if (verdict === 'fails') continue
      const row = rowOf(item)
      if (verdict === 'passes' && chunk.length === 0) {
        yield row
        continue
      }
      chunk.push({ row, verdict })
      if (chunk.length < size) continue
      yield* await settled(plan, chunk, where)
      chunk = []
      size = doubled(size)
    }
    yield* await settled(plan, chunk, where)
  }

  /** A row without what it is too heavy to be kept for. */
  const light = ({ heavy }: Plan, row: Fields): Fields =>
    Object.fromEntries(Object.entries(row).filter(([field]) => !heavy.has(field)))

  async function* ofTable(plan: Plan, { index }: Place, where: Tests): AsyncGenerator<Fields> {
    const all = { ...index, carried: undefined }
    for await (const items of scanned(connection, plan, index)) {
      const verdicts = items.map((item) => judged(plan, all, tested(plan, item, where), where))
      const open = items.filter((_, at) => verdicts[at] === 'unknown').map(rowOf)
      const found = await inSlices(open, (row) => filled(plan, row, true))
      for (const row of items.filter((_, at) => verdicts[at] === 'passes').map(rowOf)) yield light(plan, row)
      for (const [at, row] of open.entries())
        if (found[at] !== undefined && judgeAll(found[at], where) === 'passes') yield light(plan, row)
    }
  }

  const all = (plan: Plan, place: Place, wish: Wanted): AsyncGenerator<Fields> =>
    needsAll(plan, place, wish.where) ? ofTable(plan, place, wish.where) : inOrder(plan, place, wish)

  return {
    inOrder,
    /** All of them, in any order. */
    all,
    /** All of them, in any order, with this field; those that are gone are left out. */
    allWith: (plan: Plan, place: Place, wish: Wanted, field: string): AsyncGenerator<Fields> =>
      sliced(
        all(plan, place, wish),
        (row) => blobOf(row[field]) !== undefined,
        (row) => filled(plan, row, false),
      ),
    /** The rows with their long fields and, when it is asked for, detail; those that are gone are left out. */
    complete: async (plan: Plan, { index }: Place, found: Fields[], detail: boolean): Promise<Fields[]> => {
      const isPart = detail && [...plan.heavy].some((field) => isMissing(plan, index, field))
      const read = isPart
        ? await whole(plan, found)
        : await inSlices(found, (row) => filled(plan, row, detail))
      return read.filter((row) => row !== undefined)
    },
  }
}
