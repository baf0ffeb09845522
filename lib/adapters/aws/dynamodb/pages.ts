import type { Page, Query } from '../../../ports/store.ts'
import { createBounded } from './bounded.ts'
import { narrowest } from './narrow.ts'
import type { IndexPlan, Plan } from './plan.ts'
import { createReads, type ReadNeeds } from './reads.ts'
import type { Fields } from './value.ts'
import { isHopeless } from './where.ts'

const indexOf = (plan: Plan, name: string): IndexPlan => {
  const index = plan.indexes.get(name)
  if (index === undefined) throw new Error(`${plan.name} declares no index ${name}`)
  return index
}

/** Whether rows have to be looked at that may not be wanted. */
const isSearch = ({ where = [], sort, total }: Pick<Query<Fields>, 'where' | 'sort' | 'total'>) =>
  where.length > 0 || sort !== undefined || total === true

/** Pages and counts; what has to search for its rows may do so for `mostMs`. */
export const createPages = (needs: ReadNeeds & { mostMs: number | undefined }) => {
  const bounded = createBounded(needs)
  const plain = createReads(needs)

  const reading = <T>(
    plan: Plan,
    query: Query<Fields>,
    work: (reads: typeof plain) => Promise<T>,
  ): Promise<T> =>
    isSearch(query) ? bounded(plan, (connection) => work(createReads({ ...needs, connection }))) : work(plain)

  const narrowed = (plan: Plan, query: Query<Fields>) => {
    const { place, where } = narrowest(plan, { index: indexOf(plan, query.index), is: query.is }, query.where)
    return { place, query: { ...query, where } }
  }

  const page = async (plan: Plan, asked: Query<Fields>): Promise<Page<Fields>> => {
    const { place, query } = narrowed(plan, asked)
    if (isHopeless(asked.where))
      return { rows: [], next: undefined, ...(asked.total === true ? { total: 0 } : {}) }
    return reading(plan, asked, (reads) => reads.page(plan, place, query))
  }

  const count = async (plan: Plan, asked: Query<Fields>): Promise<number> => {
    const { place, query } = narrowed(plan, asked)
    if (isHopeless(asked.where)) return 0
    return reading(plan, asked, (reads) => reads.count(plan, place, query.where))
  }

  return { page, count }
}
