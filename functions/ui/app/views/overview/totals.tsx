import { countOf } from '../../components/format.ts'
import { NotYet } from '../../components/not-yet.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { spanOf } from '../../components/time.ts'
import { type Happened, useRecent, type Window } from '../../data/analytics.ts'

const percent = (part: number) => `${(part * 100).toFixed(part > 0 && part < 1 ? 1 : 0)}%`
const spanOr = (ms: number | undefined) => (ms === undefined ? '–' : spanOf(ms))

const factsOf = ({ buckets, wait, run }: Happened): readonly (readonly [string, string])[] => {
  const sum = (of: 'created' | 'completed' | 'failed') => buckets.reduce((all, one) => all + one[of], 0)
  const [completed, failed] = [sum('completed'), sum('failed')]
  return [
    ['Created', countOf(sum('created'))],
    ['Completed', countOf(completed)],
    ['Failed', countOf(failed)],
    ['Success rate', completed + failed === 0 ? '–' : percent(completed / (completed + failed))],
    ['Wait, p95', spanOr(wait.p95Ms)],
    ['Run, p95', spanOr(run.p95Ms)],
  ]
}

const NAMES = ['Created', 'Completed', 'Failed', 'Success rate', 'Wait, p95', 'Run, p95']

/** The figures of the window. */
export const Totals = ({ window }: { window: Window }) => {
  const query = useRecent(window)
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
      <div key={name} className="flex flex-col-reverse justify-end px-3.5">
        <dt className="text-xs text-muted-foreground">{name}</dt>
        <dd className="text-xl leading-7 font-semibold whitespace-nowrap">
          {value ?? <Skeleton className="my-1.5 h-4 w-12" />}
        </dd>
      </div>
    ))}
  </dl>
)
