import { NotYet } from '../../components/not-yet.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { Tag } from '../../components/tag.tsx'
import { Panel } from '../../components/view.tsx'
import { thresholds } from '../../data/at-build.ts'
import { useQueueStatus } from '../../data/queue.ts'

const limits = thresholds.queue
const count = new Intl.NumberFormat()

const verdictOf = (depth: number) => {
  if (depth >= limits.unhealthy) return { says: 'Unhealthy', tone: 'bad', bar: 'bg-failed' } as const
  if (depth >= limits.degraded) return { says: 'Degraded', tone: 'warn', bar: 'bg-queued' } as const
  return { says: 'Healthy', tone: 'good', bar: 'bg-completed' } as const
}

/** How much is waiting and running, against what the service takes for too much. */
export const Depth = () => {
  const query = useQueueStatus()
  const { data } = query
  if (!data)
    return (
      <Panel title="Queue">
        <NotYet query={query}>
          <Skeleton className="m-3.5 h-24" />
        </NotYet>
      </Panel>
    )
  const { pending, queued, inProgress } = data.queues.tasks
  const depth = pending + queued + inProgress
  const { says, tone, bar } = verdictOf(depth)
  const end = Math.max(limits.unhealthy * 1.2, depth * 1.05)
  const part = (value: number) => `${(100 * value) / end}%`
  const { running, concurrency } = data.workers.tasks
  return (
    <Panel title="Queue" aside={<Tag tone={tone}>{says}</Tag>}>
      <div className="px-3.5 py-3">
        <dl className="flex gap-6">
          {(
            [
              ['Pending', pending],
              ['Queued', queued],
              ['Running', inProgress],
            ] as const
          ).map(([name, value]) => (
            <div key={name}>
              <dd className="text-xl leading-7 font-semibold">{count.format(value)}</dd>
              <dt className="text-xs text-muted-foreground">{name}</dt>
            </div>
          ))}
        </dl>
        <meter
          className="sr-only"
          aria-label="Depth of the queue"
          value={depth}
          min={0}
          max={Math.round(end)}
        >
          {depth} tasks, {says}
        </meter>
        <div aria-hidden className="relative mt-3 h-2 rounded-full bg-muted">
          <span
            className={`absolute inset-y-0 left-0 min-w-1 rounded-full ${bar}`}
            style={{ width: part(depth) }}
          />
          {[limits.degraded, limits.unhealthy].map((at) => (
            <span key={at} className="absolute -inset-y-1 w-px bg-foreground/50" style={{ left: part(at) }} />
          ))}
        </div>
        <div aria-hidden className="relative mt-1.5 h-4 text-xs text-muted-foreground">
          <span className="absolute -translate-x-1/2" style={{ left: part(limits.degraded) }}>
            {limits.degraded} degraded
          </span>
          <span className="absolute -translate-x-1/2" style={{ left: part(limits.unhealthy) }}>
            {limits.unhealthy} unhealthy
          </span>
        </div>
        <p className="mt-2 text-muted-foreground">
          {running ? `${concurrency} at once` : 'The workers do not run'} ·{' '}
          {data.mode === 'sqs' ? 'SQS' : 'in memory'}
        </p>
      </div>
    </Panel>
  )
}
