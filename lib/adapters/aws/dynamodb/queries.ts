import type { QueryCommandInput } from '@aws-sdk/client-dynamodb'
import type { Scalar, Test } from '../../../ports/store.ts'
import { unexpired } from './condition.ts'
import { partitionText } from './item.ts'
import { compareBytes } from './order.ts'
import { type IndexPlan, type Plan, SHARDS } from './plan.ts'
import { createTerms, type Terms } from './terms.ts'
import type { Fields } from './value.ts'
import { type Bounds, boundsOf, filterOf, isBound } from './where.ts'

export type Selection = {
  is?: Scalar | readonly Scalar[] | undefined
  where?: readonly Test<Fields>[] | undefined
  order: 'asc' | 'desc'
  bounds: Bounds
}

/** The narrower of two lower bounds is the higher, of two upper ones the lower. */
const both = (a: Bounds, b: Bounds): Bounds => {
  const pick = (one: string | undefined, other: string | undefined, sign: number) => {
    if (one === undefined || other === undefined) return one ?? other
    return compareBytes(one, other) * sign > 0 ? one : other
  }
  const from = pick(a.from, b.from, 1)
  const to = pick(a.to, b.to, -1)
  return { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }
}

/** What every query of a selection has, and the partitions to ask. */
export type Queries = { inputs: QueryCommandInput[]; exact: boolean }

const partitionsOf = (plan: Plan, index: IndexPlan, is: Selection['is']): string[] => {
  if ((index.within === undefined) !== (is === undefined))
    throw new Error(`${index.name} of ${plan.name} ${is === undefined ? 'needs' : 'takes no'} "is"`)
  // No key is empty.
  if (index.own) return is === '' ? [] : [String(is)]
  const shards = Array.from({ length: SHARDS }, (_, shard) => shard)
  const of = [is].flat().flatMap((one) => shards.map((shard) => partitionText(index, one, shard) ?? ''))
  return [...new Set(of)]
}

/** The queries that find the rows of a selection, one per partition. `exact` when they find no others. */
export const queriesOf = (plan: Plan, index: IndexPlan, selection: Selection, now: number): Queries => {
  const { is, where = [], order } = selection
  const partitions = partitionsOf(plan, index, is)
  const terms = createTerms()
  const ranges = where.filter((test) => isBound(index, test))
  const bounds = ranges.reduce((all, range) => both(all, boundsOf(index, range)), selection.bounds)
  if (bounds.from !== undefined && bounds.to !== undefined && compareBytes(bounds.from, bounds.to) > 0)
    return { inputs: [], exact: true }
  const others = where.filter((test) => !isBound(index, test))
  const filters = others.map((test) => filterOf(plan, index, terms, test))
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
  ExpressionAttributeValues: { ...attributes.ExpressionAttributeValues, ':p': { S: partition } },
})

const placeCondition = ({ name, value }: Terms, { s }: IndexPlan, { from, to }: Bounds): string => {
  if (from === undefined && to === undefined) return ''
  if (from === undefined) return ` AND ${name(s)} <= ${value({ S: to ?? '' })}`
  if (to === undefined) return ` AND ${name(s)} >= ${value({ S: from })}`
  return ` AND ${name(s)} BETWEEN ${value({ S: from })} AND ${value({ S: to })}`
}
