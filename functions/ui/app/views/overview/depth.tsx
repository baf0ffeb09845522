import { depthParts, queueDepth } from '../../components/depth.ts'
import { Facts } from '../../components/facts.tsx'
import { formatNumber } from '../../components/format.ts'
import { HealthTag } from '../../components/health-tag.tsx'
import { Meter, meterHealth } from '../../components/meter.tsx'
import { NotYet } from '../../components/not-yet.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { Panel } from '../../components/view.tsx'
import { thresholds } from '../../data/at-build.ts'
import { useQueueStatus } from '../../data/queue.ts'

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
  const { tasks } = data.queues
  const { running, concurrency, disabled } = data.workers.tasks
  const figures = [
    ['Pending', tasks.pending],
    ['Queued', tasks.queued],
    ['Running', tasks.inProgress],
  ] as const
  return (
    <Panel title="Queue" aside={<HealthTag status={meterHealth(queueDepth(tasks), thresholds.queue)} />}>
      <div className="px-3.5 py-3">
        <dl className="mb-3 flex gap-6">
          {figures.map(([name, value]) => (
            <div key={name}>
              <dd className="text-xl leading-7 font-semibold">{formatNumber(value)}</dd>
              <dt className="text-xs text-muted-foreground">{name}</dt>
            </div>
          ))}
        </dl>
        <Meter label="Queue depth" limits={thresholds.queue} parts={depthParts(tasks)} />
        <p className="mt-2 text-muted-foreground">
          <Facts
            facts={[
              disabled && 'Runners take the tasks',
              !disabled && (running ? `${concurrency} at once` : 'The workers are not running'),
              data.mode === 'sqs' ? 'SQS' : 'in memory',
            ]}
          />
        </p>
      </div>
    </Panel>
  )
}
