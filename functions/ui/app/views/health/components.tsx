import { Link, type LinkProps } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Components as Parts } from '../../../../../lib/health/schema.ts'
import { BreakerState } from '../../components/breaker-state.tsx'
import { Facts } from '../../components/facts.tsx'
import { HealthTag } from '../../components/health-tag.tsx'
import { RunnerTag } from '../../components/runner-tag.tsx'
import { isolations } from '../../components/runner-words.ts'
import { formatDuration } from '../../components/time.ts'
import { Panel } from '../../components/view.tsx'

type About = { title: string; to: NonNullable<LinkProps['to']>; leads: string; advice: string }

/** The view and advice for each component. */
const abouts: Readonly<Record<keyof Parts, About>> = {
  queue: {
    title: 'Queue',
    to: '/tasks/queue',
    leads: 'Queue',
    advice:
      'Tasks arrive faster than they run. Check the running tasks, or raise the concurrency under Settings, Installation.',
  },
  adapters: { title: 'Agents', to: '/agents', leads: 'Agents', advice: 'Each agent shows what it needs.' },
  circuitBreakers: {
    title: 'Circuit breakers',
    to: '/agents',
    leads: 'Agents',
    advice: 'After too many failures in a row, calls are paused and then retried automatically.',
  },
  deadLetterQueue: {
    title: 'Dead letters',
    to: '/tasks/queue',
    leads: 'Dead letters',
    advice: 'Retry those with a fixed cause, and discard the rest.',
  },
  runners: {
    title: 'Runners',
    to: '/agents',
    leads: 'Agents and runners',
    advice: 'Set up an agent, or start a runner.',
  },
  sandbox: {
    title: 'Sandbox',
    to: '/agents',
    leads: 'Agents',
    advice: 'Use only models and repositories that you trust, or set up the sandbox (AGENT_SANDBOX).',
  },
}

export const Components = ({ components }: { components: Parts }) => (
  <div className="-mb-4 gap-4 *:mb-4 *:break-inside-avoid md:columns-2">
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
            <HealthTag status={healthy ? 'healthy' : 'unhealthy'} />
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
    <Part name="runners" {...components.runners}>
      <ul className="flex flex-col gap-2 empty:hidden">
        {components.runners.runners.map((runner) => (
          <RunnerLine key={runner.name} {...runner} />
        ))}
      </ul>
    </Part>
    {components.sandbox && <Part name="sandbox" {...components.sandbox} />}
  </div>
)

type PartProps = { name: keyof Parts; children?: ReactNode } & Pick<Parts['queue'], 'status' | 'message'>

const Part = ({ name, status, message, children }: PartProps) => {
  const { title, to, leads, advice } = abouts[name]
  return (
    <Panel title={title} aside={<HealthTag status={status} />}>
      <div className="flex flex-col gap-2 p-3.5">
        <p className="font-medium [overflow-wrap:anywhere]">{message}</p>
        {status !== 'healthy' && (
          <p className="text-muted-foreground">
            {advice}{' '}
            <Link to={to} className="underline">
              {leads}
            </Link>
          </p>
        )}
        {children}
      </div>
    </Panel>
  )
}

/** What a runner can: its agents, its labels, its isolation. */
const RunnerLine = ({ name, status, agents, labels, isolation }: Parts['runners']['runners'][number]) => (
  <li className="flex flex-col">
    <span className="flex items-center gap-2">
      <span className="min-w-0 flex-1 truncate">{name}</span>
      <RunnerTag status={status} />
    </span>
    <span className="text-muted-foreground [overflow-wrap:anywhere]">
      <Facts facts={[agents.join(', '), labels.join(', '), isolations[isolation]]} />
    </span>
  </li>
)

const queueNames = { pending: 'pending', queued: 'queued', inProgress: 'running', failed: 'failed' } as const
const letterNames = { pending: 'pending', resolved: 'resolved', discarded: 'discarded' } as const

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
