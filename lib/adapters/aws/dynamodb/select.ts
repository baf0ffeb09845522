import type { Clock } from '../../../ports/clock.ts'
import type { Query } from '../../../ports/store.ts'
import type { Aside } from './aside.ts'
import type { Connection } from './connection.ts'
import { hydrate } from './hydrate.ts'
import { keyOf, rowOf } from './item.ts'
import { merged, type Pace } from './merge.ts'
import { type IndexPlan, type Plan, SHARDS } from './plan.ts'
import { queriesOf } from './queries.ts'
import { hasExpired } from './row.ts'
import type { Rows } from './rows.ts'
import type { Fields } from './value.ts'
import { type Bounds, fieldsOf, passesAll } from './where.ts'

type Needs = { connection: Connection; rows: Rows; aside: Aside; clock: Clock }
/** Rows of an index between bounds, in an order, of which about so many are `wanted`. */
export type Selection = Pick<Query<Fields>, 'is' | 'where' | 'order'> & { bounds: Bounds; wanted: number }

const MOST_READ = 1_000
const LEAST_READ = 8
/** Of tested rows nobody knows how many have to be read. */
const FIRST_TESTED = 100

const halved = (size: number) => Math.max(LEAST_READ, Math.ceil(size / 2))
const doubled = (size: number) => Math.min(MOST_READ, size * 2)

/** Rows spread over the shards by chance: a little more than an equal part of each, so that few have to be asked twice. */
const paceOf = ({ own }: IndexPlan, wanted: number, isTested: boolean): Pace => {
  const part = wanted / SHARDS
  const first = Math.min(MOST_READ, own ? wanted : Math.ceil(part + 1.5 * Math.sqrt(part)) + 1)
  return isTested ? { first: Math.max(FIRST_TESTED, first), next: doubled } : { first, next: halved }
}

/** Rows that pass every test, in the order of an index. */
export const createSelect = ({ connection, rows, aside, clock }: Needs) => {
  /** Whole rows for those of which an index has only a part, as they are now; those that are gone are left out. */
  const whole = async (plan: Plan, some: readonly Fields[]): Promise<Fields[]> => {
    const items = await hydrate(connection, plan, some)
    const read = items.map(async (item) => {
      const row = rows.standing(plan, item)
      if (row === undefined) return undefined
      return (await aside.filled(row)) ?? aside.whole(() => rows.read(plan, keyOf(plan, row)))
    })
    return (await Promise.all(read)).filter((row) => row !== undefined)
  }

  async function* inChunks(plan: Plan, found: AsyncIterable<Fields>, size: number): AsyncGenerator<Fields> {
    let chunk: Fields[] = []
    for await (const row of found) {
      chunk.push(row)
      if (chunk.length < size) continue
      yield* await whole(plan, chunk)
      chunk = []
    }
    yield* await whole(plan, chunk)
  }

  /** Whether rows of the index do not have the field, or only as a pointer. */
  const lacks = ({ heavy, keys }: Plan, { carried }: IndexPlan, field: string) =>
    (carried?.has(field) === false && !keys.includes(field)) || (aside.active && heavy.has(field))

  /** The tests are judged here; what DynamoDB filters besides is only not transferred. */
  async function* lean(plan: Plan, index: IndexPlan, selection: Selection): AsyncGenerator<Fields> {
    const { where = [], order, wanted } = selection
    const { inputs } = queriesOf(plan, index, selection, clock.now())
    const pace = paceOf(index, wanted, where.length > 0)
    for await (const item of merged(connection, inputs, index, order, pace)) {
      const row = rowOf(item)
      if (!hasExpired(plan, row, clock.now()) && passesAll(row, lightTests(plan, index, where))) yield row
    }
  }

  const lightTests = (plan: Plan, index: IndexPlan, where: NonNullable<Selection['where']>) =>
    where.filter((test) => !fieldsOf(test).some((field) => lacks(plan, index, field)))

  async function* select(plan: Plan, index: IndexPlan, selection: Selection): AsyncGenerator<Fields> {
    const { where = [], wanted } = selection
    const found = lean(plan, index, selection)
    if (lightTests(plan, index, where).length === where.length) return yield* found
    for await (const row of inChunks(plan, found, Math.min(MOST_READ, wanted)))
      if (passesAll(row, where)) yield row
  }

  return {
    select,
    /** The rows with their detail, where the index has not all of it. */
    withDetail: async (plan: Plan, index: IndexPlan, found: Fields[]): Promise<Fields[]> =>
      [...plan.heavy].some((field) => lacks(plan, index, field)) ? whole(plan, found) : found,
  }
}
