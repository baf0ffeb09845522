import { formatNumber } from '../../components/format.ts'
import { NotYet } from '../../components/not-yet.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { formatDuration } from '../../components/time.ts'
import { type Happened, useRecent, type Window } from '../../data/analytics.ts'

const percent = (part: number) => `${(part * 100).toFixed(part > 0 && part < 1 ? 1 : 0)}%`
const durationOrDash = (ms: number | undefined) => (ms === undefined ? '–' : formatDuration(ms))

const windowTotals = ({ buckets, wait, run }: Happened): readonly (readonly [string, string])[] => {
  const sum = (field: 'created' | 'completed' | 'failed') => buckets.reduce((all, one) => all + one[field], 0)
  const [completed, failed] = [sum('completed'), sum('failed')]
  return [
    ['Created', formatNumber(sum('created'))],
    ['Completed', formatNumber(completed)],
    ['Failed', formatNumber(failed)],
    ['Success rate', completed + failed === 0 ? '–' : percent(completed / (completed + failed))],
    ['Wait, p95', durationOrDash(wait.p95Ms)],
    ['Run, p95', durationOrDash(run.p95Ms)],
  ]
}

const NAMES = ['Created', 'Completed', 'Failed', 'Success rate', 'Wait, p95', 'Run, p95']

export const Totals = ({ window }: { window: Window }) => {
  const query = useRecent(window)
  return (
    <div className="rounded-lg border bg-card">
      {query.data ? (
        <Facts facts={windowTotals(query.data)} />
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
      <div key={name} className="flex flex-col-reverse justify-end px-3.5">
        <dt className="text-xs text-muted-foreground">{name}</dt>
        <dd className="text-xl leading-7 font-semibold whitespace-nowrap">
          {value ?? <Skeleton className="my-1.5 h-4 w-12" />}
        </dd>
      </div>
    ))}
  </dl>
)
