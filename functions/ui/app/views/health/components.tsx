import { Check } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Components as Parts } from '../../../../../lib/health/schema.ts'
import { BreakerState } from '../../components/breaker-state.tsx'
import { Facts } from '../../components/facts.tsx'
import { HealthTag } from '../../components/health-tag.tsx'
import { RunnerTag } from '../../components/runner-tag.tsx'
import { isMissing, isolations } from '../../components/runner-words.ts'
import { Tag } from '../../components/tag.tsx'
import { formatDuration } from '../../components/time.ts'
import { titles } from './problems.ts'

export const Components = ({ components }: { components: Parts }) => {
  const missing = components.runners.runners.filter(isMissing).length
  return (
    <div className="divide-y rounded-lg border bg-card">
      <Part name="queue" {...components.queue}>
        {components.queue.details && <Numbers counts={components.queue.details} names={queueNames} />}
      </Part>
      <Part name="adapters" {...components.adapters}>
        <Lines>
          {components.adapters.adapters.map(({ type, name, healthy, latencyMs }) => (
            <Line key={type} name={name}>
              {latencyMs !== undefined && (
                <span className="text-muted-foreground">{formatDuration(latencyMs)}</span>
              )}
              {healthy ? (
                <span className="text-muted-foreground">Ready</span>
              ) : (
                <HealthTag status="unhealthy" />
              )}
            </Line>
          ))}
        </Lines>
      </Part>
      <Part name="circuitBreakers" {...components.circuitBreakers}>
        <Lines>
          {components.circuitBreakers.breakers
            .filter(({ state }) => state !== 'CLOSED')
            .map(({ name, state, failures, successes }) => (
              <Line key={name} name={name}>
                <span className="text-muted-foreground">
                  {successes} ok, {failures} failed
                </span>
                <BreakerState state={state} />
              </Line>
            ))}
        </Lines>
      </Part>
      <Part name="deadLetterQueue" {...components.deadLetterQueue}>
        {components.deadLetterQueue.details && (
          <Numbers counts={components.deadLetterQueue.details} names={letterNames} />
        )}
      </Part>
      <Part
        name="runners"
        {...components.runners}
        tag={missing > 0 ? <Tag tone="warn">{missing} offline</Tag> : undefined}
      >
        <ul className="flex flex-col gap-2 empty:hidden">
          {components.runners.runners.map((runner) => (
            <RunnerLine key={runner.name} {...runner} />
          ))}
        </ul>
      </Part>
      {components.sandbox && <Part name="sandbox" {...components.sandbox} />}
    </div>
  )
}

type PartProps = {
  name: keyof Parts
  /** In place of that it is healthy. */
  tag?: ReactNode
  children?: ReactNode
} & Pick<Parts['queue'], 'status' | 'message'>

const Part = ({ name, status, message, tag, children }: PartProps) => (
  <section
    aria-label={titles[name]}
    className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-4 gap-y-1 px-3.5 py-2.5 md:grid-cols-[9rem_minmax(0,1fr)_6rem]"
  >
    <h2 className="font-semibold">{titles[name]}</h2>
    <div className="flex min-w-0 flex-col gap-1.5 max-md:order-last max-md:col-span-2">
      <p className="[overflow-wrap:anywhere]">{message}</p>
      {children}
    </div>
    <span className="justify-self-end">
      {status === 'healthy' ? (tag ?? <Healthy />) : <HealthTag status={status} />}
    </span>
  </section>
)

const Healthy = () => (
  <span title="Healthy" className="flex h-5 items-center">
    <Check size={15} className="text-completed" />
    <span className="sr-only">Healthy</span>
  </span>
)

/** What a runner can: its agents, its labels, its isolation. */
const RunnerLine = (runner: Parts['runners']['runners'][number]) => (
  <li className="flex flex-col">
    <span className="flex items-center gap-2">
      <span className="min-w-0 flex-1 truncate">{runner.name}</span>
      <RunnerTag {...runner} />
    </span>
    <span className="text-muted-foreground [overflow-wrap:anywhere]">
      <Facts facts={[runner.agents.join(', '), runner.labels.join(', '), isolations[runner.isolation]]} />
    </span>
  </li>
)

const queueNames = { pending: 'pending', queued: 'queued', inProgress: 'running', failed: 'failed' } as const
const letterNames = { resolved: 'resolved', discarded: 'discarded' } as const

type NumbersProps<K extends string> = {
  counts: Readonly<Record<NoInfer<K>, number>>
  names: Readonly<Record<K, string>>
}

const Numbers = <K extends string>({ counts, names }: NumbersProps<K>) => (
  <dl className="flex flex-wrap gap-x-5 gap-y-1 text-muted-foreground">
    {(Object.keys(names) as K[]).map((key) => (
      <div key={key} className="flex gap-1.5">
        <dd className="text-foreground">{counts[key]}</dd>
        <dt>{names[key]}</dt>
      </div>
    ))}
  </dl>
)

const Lines = ({ children }: { children: ReactNode }) => (
  <ul className="flex flex-col gap-1.5 empty:hidden">{children}</ul>
)

const Line = ({ name, children }: { name: string; children: ReactNode }) => (
  <li className="flex items-center gap-2">
    <span className="min-w-0 flex-1 truncate">{name}</span>
    {children}
  </li>
)
