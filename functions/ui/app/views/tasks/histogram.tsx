import { Link } from '@tanstack/react-router'
import { type Day, lastDays } from '../../components/days.ts'
import { formatNumber } from '../../components/format.ts'
import { useAnalytics } from '../../data/analytics.ts'
import { serverNow } from '../../data/server-clock.ts'

const DAYS = 30

/** Tasks by creation day (UTC); a bar filters by its day. The filter is available by keyboard, so bars are not tab stops. */
export const Histogram = () => {
  const { data } = useAnalytics()
  const days = lastDays(data?.daily ?? [], serverNow(), DAYS)
  const most = Math.max(...days.map(({ created, failed }) => Math.max(created, failed)))
  // A single bar is not useful.
  if (days.filter(({ created, failed }) => created + failed > 0).length < 2) return null
  return (
    <ol
      aria-label="Tasks created, by day"
      className="flex h-10 shrink-0 items-end gap-px border-b px-4 pt-1.5 max-md:hidden md:px-6"
    >
      {days.map((day) => (
        <li key={day.date} className="h-full flex-1">
          <Bar day={day} most={most} />
        </li>
      ))}
    </ol>
  )
}

const Bar = ({ day: { date, created, failed }, most }: { day: Day; most: number }) => {
  const label = `${date} (UTC): ${formatNumber(created)} created, ${formatNumber(failed)} failed`
  return (
    <Link
      to="/tasks"
      search={{ createdAfter: `${date}T00:00:00.000Z`, createdBefore: `${date}T23:59:59.999Z` }}
      tabIndex={-1}
      aria-label={label}
      title={label}
      className="relative flex h-full items-end rounded-t hover:bg-accent"
    >
      <span className="w-full rounded-t-sm bg-input" style={{ height: `${(100 * created) / most}%` }} />
      <span
        className="absolute inset-x-0 bottom-0 rounded-t-sm bg-failed-soft"
        style={{ height: `${(100 * Math.min(failed, created || failed)) / most}%` }}
      />
    </Link>
  )
}
