import { Link } from '@tanstack/react-router'
import { type KeyboardEvent, useState } from 'react'
import { formatNumber, formatTime, formatWeekday } from '../../components/format.ts'
import { NotYet } from '../../components/not-yet.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { Panel } from '../../components/view.tsx'
import { type Happened, useRecent, type Window } from '../../data/analytics.ts'
import { windows } from './windows.ts'

type Bucket = Happened['buckets'][number]

/** Stacked from the bottom up. */
const ENDS = [
  ['completed', 'Completed', 'bg-completed-soft'],
  ['failed', 'Failed', 'bg-failed-soft'],
  ['cancelled', 'Cancelled', 'bg-input'],
] as const

const endedIn = ({ completed, failed, cancelled }: Bucket) => completed + failed + cancelled

const bucketSearch = ({ from, to }: Bucket, status?: string) => ({
  ...(status ? { status } : {}),
  completedAfter: from,
  completedBefore: new Date(Date.parse(to) - 1).toISOString(),
  sortBy: 'completedAt',
})

/** Each bar links to its tasks. */
export const Bars = ({ window }: { window: Window }) => {
  const query = useRecent(window)
  return (
    <Panel title="Tasks" aside={<Legend />}>
      {query.data ? (
        <BarChart recent={query.data} />
      ) : (
        <NotYet query={query}>
          <Skeleton className="m-3.5 h-44" />
        </NotYet>
      )}
    </Panel>
  )
}

const Legend = () => (
  <ul className="flex flex-wrap gap-x-3 text-xs text-muted-foreground max-md:hidden">
    {ENDS.map(([status, label, colour]) => (
      <li key={status} className="flex items-center gap-1.5">
        <span className={`size-2 rounded-xs ${colour}`} /> {label}
      </li>
    ))}
    <li className="flex items-center gap-1.5">
      <span className="h-0.5 w-3 bg-muted-foreground" /> Created
    </li>
  </ul>
)

const BarChart = ({ recent: { buckets, window } }: { recent: Happened }) => {
  const { part, step } = windows[window]
  const [at, setAt] = useState(buckets.length - 1)
  const most = Math.max(...buckets.map((bucket) => Math.max(bucket.created, endedIn(bucket))))
  const isByDay = window === '7d'
  const formatStart = isByDay ? formatWeekday : formatTime
  /** Roving tabindex: arrows move between the bars. */
  const move = ({ key, currentTarget }: KeyboardEvent<HTMLOListElement>) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[key]
    const next = by === undefined ? undefined : buckets[at + by] && at + by
    if (next === undefined) return
    setAt(next)
    currentTarget.querySelectorAll<HTMLElement>('[data-bucket]')[next]?.focus()
  }
  return (
    <div className="px-3.5 pt-3 pb-2">
      <p aria-hidden className="text-xs text-muted-foreground">
        {most === 0 ? 'No activity in this period' : formatNumber(most)}
      </p>
      <ol
        aria-label={`Tasks by ${part}`}
        onKeyDown={move}
        className="flex h-36 items-stretch gap-px border-b border-t border-t-border/60"
      >
        {buckets.map((bucket, n) => (
          <Bar
            key={bucket.from}
            bucket={bucket}
            most={Math.max(1, most)}
            name={
              isByDay ? formatWeekday(bucket.from) : `${formatTime(bucket.from)} to ${formatTime(bucket.to)}`
            }
            isStop={n === Math.min(at, buckets.length - 1)}
            onFocus={() => setAt(n)}
          />
        ))}
      </ol>
      <div aria-hidden className="flex pt-1 text-xs text-muted-foreground">
        {buckets.map(({ from }, n) => (
          <span key={from} className="w-0 flex-1 whitespace-nowrap">
            {n % step === 0 ? formatStart(from) : ''}
          </span>
        ))}
      </div>
    </div>
  )
}

type BarProps = { bucket: Bucket; most: number; name: string; isStop: boolean; onFocus: () => void }

const Bar = ({ bucket, most, name, isStop, onFocus }: BarProps) => {
  const label = `${name}: ${[
    `${formatNumber(bucket.created)} created`,
    ...ENDS.map(([status]) => `${formatNumber(bucket[status])} ${status}`),
  ].join(', ')}`
  let below = 0
  return (
    <li className="relative min-w-0 flex-1">
      <Link
        data-bucket
        to="/tasks"
        search={bucketSearch(bucket)}
        tabIndex={isStop ? 0 : -1}
        onFocus={onFocus}
        aria-label={label}
        title={label}
        className="absolute inset-0 hover:bg-accent"
      />
      {ENDS.map(([status, , colour]) => {
        const bottom = below
        below += bucket[status]
        return (
          bucket[status] > 0 && (
            <Link
              key={status}
              to="/tasks"
              search={bucketSearch(bucket, status)}
              tabIndex={-1}
              aria-hidden
              title={`${name}: ${formatNumber(bucket[status])} ${status}`}
              className={`absolute inset-x-[12%] hover:brightness-110 ${colour}`}
              style={{
                bottom: `${(100 * bottom) / most}%`,
                height: `max(2px, ${(100 * bucket[status]) / most}%)`,
              }}
            />
          )
        )
      })}
      {bucket.created > 0 && (
        <span
          className="pointer-events-none absolute inset-x-0 h-0.5 bg-muted-foreground"
          style={{ bottom: `calc(${(100 * bucket.created) / most}% - 2px)` }}
        />
      )}
    </li>
  )
}
