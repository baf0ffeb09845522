import type { Scalar, Test } from '../../../ports/store.ts'
import type { IndexPlan, Plan } from './plan.ts'
import type { Fields } from './value.ts'
import { fieldsOf, isBound } from './where.ts'

/** An index and the partitions of it in which to look. */
export type Place = { index: IndexPlan; is: Scalar | readonly Scalar[] | undefined }
type Tests = readonly Test<Fields>[]

/** Each value is a query to each shard. */
const MOST_PARTITIONS = 10

const isName = (value: Scalar) => typeof value === 'string' && value.isWellFormed()

/**
 * The place to look for rows that meet the tests, and those that are left to be judged there: where one names values of
 * a field, and an index has the same order within that field, that index has just them.
 */
export const narrowest = (plan: Plan, place: Place, tests: Tests = []): { place: Place; where: Tests } => {
  const { index } = place
  if (index.within !== undefined || index.own) return { place, where: tests }
  for (const other of plan.secondary) {
    if (other.within === undefined || other.s !== index.s) continue
    const values = tests.find((test) => 'in' in test && test.field === other.within)
    if (values === undefined || !('in' in values)) continue
    const asked = [...new Set(values.in)]
    if (asked.length <= MOST_PARTITIONS && asked.every(isName))
      return { place: { index: other, is: asked }, where: tests.filter((test) => test !== values) }
  }
  return { place, where: tests }
}

/** Whether rows of the index lack the field. */
export const isMissing = ({ keys }: Plan, { carried }: IndexPlan, field: string): boolean =>
  carried?.has(field) === false && !keys.includes(field)

/** Whether an index is of no help: all its rows would have to be read whole. */
export const needsAll = (plan: Plan, { index, is }: Place, tests: Tests = []): boolean =>
  is === undefined &&
  !index.own &&
  tests.length > 0 &&
  !tests.some((test) => isBound(index, test)) &&
  tests.every((test) => fieldsOf(test).some((field) => isMissing(plan, index, field)))
