import { Link } from '@tanstack/react-router'
import { countOf } from '../../components/format.ts'
import { useAnalytics } from '../../data/analytics.ts'
import { serverNow } from '../../data/server-clock.ts'

const DAYS = 30
const DAY_MS = 86_400_000

type Day = { readonly date: string; readonly created: number; readonly failed: number }

/** The last thirty days by UTC, as the service counts them; days without tasks are empty. */
const daysOf = (daily: readonly Day[], now: number): Day[] => {
  const known = new Map(daily.map((day) => [day.date, day]))
  return Array.from({ length: DAYS }, (_, n) => {
    const date = new Date(now - (DAYS - 1 - n) * DAY_MS).toISOString().slice(0, 10)
    return known.get(date) ?? { date, created: 0, failed: 0 }
  })
}

/**
 * All tasks by the day that they were created on; a bar leads to its day. The filter has the same by keyboard, so that the
 * bars are no stops on the way to the list.
 */
export const Histogram = () => {
  const { data } = useAnalytics()
  const days = daysOf(data?.daily ?? [], serverNow())
  const most = Math.max(...days.map(({ created, failed }) => Math.max(created, failed)))
  // One bar compares with nothing.
  if (days.filter(({ created, failed }) => created + failed > 0).length < 2) return null
  return (
    <ol
      aria-label="Tasks created, by day"
      className="flex h-10 shrink-0 items-end gap-px border-b px-4 pt-1.5 max-md:hidden md:px-6"
    >
      {days.map(({ date, created, failed }) => (
        <li key={date} className="h-full flex-1">
          <Link
            to="/tasks"
            search={{ createdAfter: date, createdBefore: date }}
            tabIndex={-1}
            aria-label={`${date}: ${countOf(created)} created, ${countOf(failed)} failed`}
            title={`${date}: ${countOf(created)} created, ${countOf(failed)} failed`}
            className="relative flex h-full items-end rounded-t hover:bg-accent"
          >
            <span className="w-full rounded-t-sm bg-input" style={{ height: `${(100 * created) / most}%` }} />
            <span
              className="absolute inset-x-0 bottom-0 rounded-t-sm bg-failed-soft"
              style={{ height: `${(100 * Math.min(failed, created || failed)) / most}%` }}
            />
          </Link>
        </li>
      ))}
    </ol>
  )
}
