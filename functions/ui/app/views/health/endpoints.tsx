import { Link, useSearch } from '@tanstack/react-router'
import { ArrowDown, ArrowUp } from 'lucide-react'
import { Empty } from '../../components/empty.tsx'
import { Problem } from '../../components/problem.tsx'
import { SkeletonRows } from '../../components/skeleton.tsx'
import { Panel } from '../../components/view.tsx'
import type { useMetrics } from '../../data/health.ts'
import { formatLatency, formatPercent } from './figures.ts'
import {
  type Endpoint,
  SORTED_BY,
  type Sorting,
  type SortKey,
  sortedBy,
  sortKeys,
  turned,
} from './sorting.ts'
import { Scope } from './system.tsx'

/** The sort order is part of the address. */
export const Endpoints = ({ query }: { query: ReturnType<typeof useMetrics> }) => {
  const sorting = useSearch({ from: '/settings/health' })
  const { data, error, isPending, refetch } = query
  return (
    <Panel title="Endpoints" aside={<Scope>this instance, since it started</Scope>}>
      {isPending && <SkeletonRows count={8} />}
      {error && !data ? <Problem error={error} onRetry={() => void refetch()} /> : null}
      {data?.endpoints.length === 0 && <Empty title="No requests yet" />}
      {data && data.endpoints.length > 0 && <Table endpoints={data.endpoints} sorting={sorting} />}
    </Panel>
  )
}

/** Columns that narrow screens hide. */
const wide: readonly SortKey[] = ['p50Ms', 'p99Ms']
const hides = (key: SortKey) => (wide.includes(key) ? 'max-md:hidden' : '')
const numeric = Object.keys(sortKeys).filter((key) => key !== 'path') as Exclude<SortKey, 'path'>[]

const Table = ({ endpoints, sorting }: { endpoints: readonly Endpoint[]; sorting: Sorting }) => (
  <table aria-label="Endpoints" className="w-full table-fixed text-right">
    <thead>
      <tr className="border-b">
        <Head name="path" sorting={sorting} className="text-left" />
        {numeric.map((key) => (
          <Head key={key} name={key} sorting={sorting} className={`w-17 md:w-24 ${hides(key)}`} />
        ))}
      </tr>
    </thead>
    <tbody>
      {sortedBy(endpoints, sorting).map((endpoint) => (
        <tr key={`${endpoint.method} ${endpoint.path}`} className="border-b last:border-0 hover:bg-muted">
          <th
            scope="row"
            className="py-1.5 pr-2 pl-3.5 text-left font-mono text-xs font-normal [overflow-wrap:anywhere]"
          >
            <span className="mr-2 inline-block min-w-12 text-muted-foreground max-md:block">
              {endpoint.method}
            </span>
            {endpoint.path}
          </th>
          {numeric.map((key) => (
            <td key={key} className={`py-1.5 pr-3.5 ${hides(key)} ${cellClass(key, endpoint)}`}>
              {cellText(key, endpoint)}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  </table>
)

const cellClass = (key: SortKey, { errorRate }: Endpoint) => {
  if (key !== 'errorRate') return ''
  return errorRate > 0 ? 'font-medium text-failed' : 'text-muted-foreground'
}

const cellText = (key: Exclude<SortKey, 'path'>, endpoint: Endpoint) => {
  if (key === 'count') return endpoint.count
  return key === 'errorRate' ? formatPercent(endpoint.errorRate) : formatLatency(endpoint[key])
}

type HeadProps = { name: SortKey; sorting: Sorting; className: string }

const Head = ({ name, sorting, className }: HeadProps) => {
  const isSorted = name === (sorting.sort ?? SORTED_BY)
  const isUp = sorting.order === 'asc'
  const sort = isUp ? 'ascending' : 'descending'
  return (
    <th scope="col" aria-sort={isSorted ? sort : undefined} className={className}>
      <Link
        to="/settings/health"
        search={turned(sorting, name)}
        replace
        resetScroll={false}
        className={`inline-flex h-8 items-center gap-1 pr-3.5 text-xs hover:text-foreground ${name === 'path' ? 'pl-3.5' : ''} ${isSorted ? 'font-medium' : 'font-normal text-muted-foreground'}`}
      >
        {isSorted && (isUp ? <ArrowUp size={12} /> : <ArrowDown size={12} />)}
        {sortKeys[name]}
      </Link>
    </th>
  )
}
