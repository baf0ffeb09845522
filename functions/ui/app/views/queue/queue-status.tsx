import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { QueueStatus as Status } from '../../../../../lib/queue/schema.ts'
import type { TaskStatus } from '../../../../../lib/tasks/machine.ts'
import { depthParts, queueDepth } from '../../components/depth.ts'
import { HealthTag } from '../../components/health-tag.tsx'
import { type Limits, Meter, meterHealth } from '../../components/meter.tsx'
import { Problem } from '../../components/problem.tsx'
import { State } from '../../components/state.tsx'
import { thresholds } from '../../data/at-build.ts'

type Props = { status: Status | undefined; error: unknown; onRetry: () => void }

/** Keeps its size while loading. */
export const QueueStatus = ({ status, error, onRetry }: Props) => {
  if (error && !status) return <Problem error={error} onRetry={onRetry} />
  const tasks = status?.queues.tasks
  const letters = status?.deadLetterQueue
  const pending = letters?.pending ?? 0
  return (
    <div className="grid shrink-0 grid-cols-2 gap-px border-b bg-border">
      <Figure title="Active tasks" count={tasks && queueDepth(tasks)} limits={thresholds.queue}>
        <Meter label="Active tasks" limits={thresholds.queue} parts={depthParts(tasks)} />
      </Figure>
      <Figure title="Dead letters" count={letters?.pending} limits={thresholds.deadLetterQueue}>
        <Meter
          label="Pending dead letters"
          limits={thresholds.deadLetterQueue}
          parts={[{ id: 'pending', value: pending, className: lettersColour(pending) }]}
        />
      </Figure>
      <div className="col-span-2 flex flex-wrap items-center gap-x-8 gap-y-1.5 bg-background px-4 py-2 md:px-6">
        <ul aria-label="Tasks by state" className="flex flex-wrap gap-x-4 gap-y-1.5">
          {counted.map(([status, field]) => (
            <Count key={status} status={status} value={tasks?.[field]} />
          ))}
        </ul>
        <dl className="flex flex-wrap gap-x-4 md:ml-auto">
          <Workers name="Task workers" worker={status?.workers.tasks} />
          <Workers name="Notifiers" worker={status?.workers.notifications} />
        </dl>
      </div>
    </div>
  )
}

/** Red only from where it is degraded. */
const lettersColour = (pending: number): string =>
  meterHealth(pending, thresholds.deadLetterQueue) === 'healthy' ? 'bg-muted-foreground' : 'bg-failed'

const counted = [
  ['in_progress', 'inProgress'],
  ['queued', 'queued'],
  ['pending', 'pending'],
  ['failed', 'failed'],
  ['completed', 'completed'],
] as const

const Count = ({ status, value }: { status: TaskStatus; value: number | undefined }) => (
  <li>
    <Link to="/tasks" search={{ status }} className="inline-flex items-center gap-1.5 hover:underline">
      <State status={status} />
      <span className="min-w-3">{value ?? '–'}</span>
    </Link>
  </li>
)

type FigureProps = { title: string; count: number | undefined; limits: Limits; children: ReactNode }

const Figure = ({ title, count, limits, children }: FigureProps) => (
  <div className="min-w-0 bg-background px-4 py-2.5 md:px-6">
    <div className="mb-2 flex flex-wrap items-center gap-x-2">
      <h2 className="text-muted-foreground max-md:w-full">{title}</h2>
      <span className="text-base font-semibold">{count ?? '–'}</span>
      <span className="ml-auto h-5">
        {count !== undefined && <HealthTag status={meterHealth(count, limits)} />}
      </span>
    </div>
    {children}
  </div>
)

type Worker = Status['workers']['tasks']

const Workers = ({ name, worker }: { name: string; worker: Worker | undefined }) => (
  <div className="flex gap-1.5 text-muted-foreground">
    <dt>{name}</dt>
    <dd
      className={
        worker && !worker.running && !worker.disabled ? 'font-medium text-failed' : 'text-foreground'
      }
    >
      {worker ? workerText(worker) : '–'}
    </dd>
  </div>
)

const workerText = ({ running, concurrency, disabled }: Worker) => {
  if (disabled) return 'off; tasks run on runners'
  return running ? `${concurrency} at once` : 'stopped; restart the service'
}
