import { countOf } from '../../components/format.ts'
import { NotYet } from '../../components/not-yet.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { spanOf } from '../../components/time.ts'
import { useAnalytics } from '../../data/analytics.ts'
import { lastDays } from './days.ts'

const percent = (part: number) => `${(part * 100).toFixed(part > 0 && part < 1 ? 1 : 0)}%`

type Analytics = NonNullable<ReturnType<typeof useAnalytics>['data']>

const factsOf = (data: Analytics): readonly (readonly [string, string])[] => {
  const [today] = lastDays(data.daily, Date.now(), 1)
  const ended = data.completedTasks + data.failedTasks
  return [
    ['Created today', countOf(today?.created ?? 0)],
    ['Done today', countOf(today?.completed ?? 0)],
    ['Failed today', countOf(today?.failed ?? 0)],
    ['Success rate', ended === 0 ? '–' : percent(data.successRate)],
    ['Average run', data.avgDurationMs === 0 ? '–' : spanOf(data.avgDurationMs)],
    ['All tasks', countOf(data.totalTasks)],
  ]
}

const NAMES = ['Created today', 'Done today', 'Failed today', 'Success rate', 'Average run', 'All tasks']

/** The figures that one looks at first. */
export const Totals = () => {
  const query = useAnalytics()
  return (
    <div className="rounded-lg border bg-card">
      {query.data ? (
        <Facts facts={factsOf(query.data)} />
      ) : (
        <NotYet query={query}>
          <Facts facts={NAMES.map((name) => [name, undefined])} />
        </NotYet>
      )}
    </div>
  )
}

const Facts = ({ facts }: { facts: readonly (readonly [string, string | undefined])[] }) => (
  <dl className="grid grid-cols-3 gap-y-3 py-3 md:grid-cols-6 md:divide-x">
    {facts.map(([name, value]) => (
      <div key={name} className="flex flex-col-reverse px-3.5">
        <dt className="text-xs text-muted-foreground">{name}</dt>
        <dd className="text-xl leading-7 font-semibold">
          {value ?? <Skeleton className="my-1.5 h-4 w-12" />}
        </dd>
      </div>
    ))}
  </dl>
)
