import type { Metrics } from '../../../../../lib/health/schema.ts'

export type Endpoint = Metrics['endpoints'][number]
export type SortKey = 'path' | 'count' | 'errorRate' | 'p50Ms' | 'p95Ms' | 'p99Ms'
export type Sorting = { sort?: SortKey; order?: 'asc' }

export const sortKeys: Readonly<Record<SortKey, string>> = {
  path: 'Endpoint',
  count: 'Requests',
  errorRate: 'Errors',
  p50Ms: 'p50',
  p95Ms: 'p95',
  p99Ms: 'p99',
}
export const SORTED_BY: SortKey = 'p95Ms'

export const isSortable = (value: unknown): value is SortKey =>
  typeof value === 'string' && Object.hasOwn(sortKeys, value)

/** A second click reverses the order. */
export const turned = ({ sort = SORTED_BY, order }: Sorting, key: SortKey): Sorting => ({
  ...(key === SORTED_BY ? {} : { sort: key }),
  ...(sort === key && order !== 'asc' ? { order: 'asc' as const } : {}),
})

/** Ties are sorted by path. */
export const sortedBy = (endpoints: readonly Endpoint[], { sort = SORTED_BY, order }: Sorting) => {
  const sign = order === 'asc' ? 1 : -1
  const byPath = (one: Endpoint, other: Endpoint) =>
    one.path.localeCompare(other.path) || one.method.localeCompare(other.method)
  return endpoints.toSorted((one, other) => {
    if (sort === 'path') return sign * byPath(one, other)
    return sign * (one[sort] - other[sort]) || byPath(one, other)
  })
}
