import type { QueryCommandInput } from '@aws-sdk/lib-dynamodb'
import type { Scalar } from '../../../ports/store.ts'
import { createTerms, type Terms, unexpired } from './expressions.ts'
import { partitionText } from './item.ts'
import { compareBytes } from './order.ts'
import { type IndexPlan, type Plan, SHARDS } from './plan.ts'
import { type Bounds, filterText, isBound, type RowTest, rangeBounds, testedFields } from './where.ts'

export type Selection = {
  is?: Scalar | readonly Scalar[] | undefined
  where?: readonly RowTest[] | undefined
  order: 'asc' | 'desc'
  bounds: Bounds
}

/** The narrower bounds: the higher lower bound, and the lower upper one. */
const both = (a: Bounds, b: Bounds): Bounds => {
  const pick = (one: string | undefined, other: string | undefined, sign: number) => {
    if (one === undefined || other === undefined) return one ?? other
    return compareBytes(one, other) * sign > 0 ? one : other
  }
  const from = pick(a.from, b.from, 1)
  const to = pick(a.to, b.to, -1)
  return { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }
}

/** The common parts of a selection's queries, and the partitions to read. */
type Queries = { inputs: QueryCommandInput[]; exact: boolean }

const partitionTexts = (plan: Plan, index: IndexPlan, is: Selection['is']): string[] => {
  if ((index.within === undefined) !== (is === undefined))
    throw new Error(`${index.name} of ${plan.name} ${is === undefined ? 'needs' : 'takes no'} "is"`)
  // No key is empty.
  if (index.own) return is === '' ? [] : [String(is)]
  const shards = Array.from({ length: SHARDS }, (_, shard) => shard)
  const of = [is].flat().flatMap((one) => shards.map((shard) => partitionText(index, one, shard) ?? ''))
  return [...new Set(of)]
}

/** The queries for the rows of a selection, one per partition. `exact` when they find no others. */
export const indexQueries = (plan: Plan, index: IndexPlan, selection: Selection, now: number): Queries => {
  const { is, where = [], order } = selection
  const partitions = partitionTexts(plan, index, is)
  const terms = createTerms()
  const ranges = where.filter((test) => isBound(index, test))
  const bounds = ranges.reduce((all, range) => both(all, rangeBounds(index, range)), selection.bounds)
  if (bounds.from !== undefined && bounds.to !== undefined && compareBytes(bounds.from, bounds.to) > 0)
    return { inputs: [], exact: true }
  const others = where.filter((test) => !isBound(index, test))
  const filters = others.map((test) => filterText(plan, index, terms, test))
  const filter = [...filters, unexpired(plan, terms, now)].filter((part) => part !== undefined)
  const p = terms.name(index.p)
  const place = placeCondition(terms, index, bounds)
  const inputs = partitions.map((partition) => ({
    TableName: plan.table,
    ...(index.own ? { ConsistentRead: true } : { IndexName: index.name }),
    KeyConditionExpression: `${p} = :p${place}`,
    ...(filter.length > 0 ? { FilterExpression: filter.join(' AND ') } : {}),
    ScanIndexForward: order === 'asc',
    ...withPartition(terms.attributes(), partition),
  }))
  return { inputs, exact: filters.every((one) => one !== undefined) }
}

const withPartition = (attributes: ReturnType<Terms['attributes']>, partition: string) => ({
  ...attributes,
  ExpressionAttributeValues: { ...attributes.ExpressionAttributeValues, ':p': partition },
})

const placeCondition = ({ name, value }: Terms, { s }: IndexPlan, { from, to }: Bounds): string => {
  if (from === undefined && to === undefined) return ''
  if (from === undefined) return ` AND ${name(s)} <= ${value(to ?? '')}`
  if (to === undefined) return ` AND ${name(s)} >= ${value(from)}`
  return ` AND ${name(s)} BETWEEN ${value(from)} AND ${value(to)}`
}

/** An index, and its partitions to read. */
export type Place = { index: IndexPlan; is: Scalar | readonly Scalar[] | undefined }
type Tests = readonly RowTest[]

/** Each value needs a query to each shard. */
const MOST_PARTITIONS = 10

const isName = (value: Scalar | null): value is Scalar => typeof value === 'string' && value.isWellFormed()

/** The index whose rows match a test on a list of values, where one has the same order, and the other tests. */
export const narrowest = (plan: Plan, place: Place, tests: Tests = []): { place: Place; where: Tests } => {
  const { index } = place
  if (index.within !== undefined || index.own) return { place, where: tests }
  for (const other of plan.secondary) {
    if (other.within === undefined || other.s !== index.s) continue
    const list = tests.find((test) => 'in' in test && test.field === other.within)
    if (list === undefined || !('in' in list)) continue
    const values = [...new Set(list.in)]
    if (values.length <= MOST_PARTITIONS && values.every(isName))
      return { place: { index: other, is: values }, where: tests.filter((test) => test !== list) }
  }
  return { place, where: tests }
}

export const isMissing = ({ keys }: Plan, { carried }: IndexPlan, field: string): boolean =>
  carried?.has(field) === false && !keys.includes(field)

/** Whether an index is useless, because all its rows would have to be read in full. */
export const needsAll = (plan: Plan, { index, is }: Place, tests: Tests = []): boolean =>
  is === undefined &&
  !index.own &&
  tests.length > 0 &&
  !tests.some((test) => isBound(index, test)) &&
  tests.every((test) => testedFields(test).some((field) => isMissing(plan, index, field)))
