import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Agent } from '../../../../../lib/agents/schema.ts'
import type { BreakerReading } from '../../../../../lib/health/schema.ts'
import {
  agentAdvice,
  type Condition,
  failingTime,
  type RecentOutcomes,
} from '../../components/agent-condition.ts'
import { BreakerState } from '../../components/breaker-state.tsx'
import { ConditionTag } from '../../components/condition-tag.tsx'
import { formatNumber, formatUsd } from '../../components/format.ts'
import { Tag } from '../../components/tag.tsx'
import { formatDuration } from '../../components/time.ts'
import { Panel } from '../../components/view.tsx'
import { When } from '../../components/when.tsx'
import { Family } from './family.tsx'
import { Stats } from './stats.tsx'

type Props = {
  agent: Agent
  condition: Condition | undefined
  outcomes: RecentOutcomes | undefined
  breaker: BreakerReading | undefined
  monthUsd: number | undefined
}

export const AgentCard = ({ agent, condition, outcomes, breaker, monthUsd }: Props) => {
  const { type, name, description, capabilities, lastActivity } = agent
  return (
    <Panel title={name} aside={<ConditionTag condition={condition} />}>
      <div className="flex flex-col gap-3 p-3.5">
        <div>
          <Family agent={agent} />
          <p>{description}</p>
        </div>
        <ul aria-label="Capabilities" className="flex flex-wrap gap-1.5">
          {capabilities.map((one) => (
            <li key={one}>
              <Tag>{one}</Tag>
            </li>
          ))}
        </ul>
        <Trouble agent={agent} condition={condition} outcomes={outcomes} breaker={breaker} />
      </div>
      <Stats agent={agent} monthUsd={monthUsd} />
      <dl className="grid grid-cols-2 gap-x-4 gap-y-2 border-t p-3.5 sm:grid-cols-3">
        <Fact name="Time limit">{formatDuration(agent.timeoutMs)}</Fact>
        <Fact name="After a timeout">{agent.canResume ? 'resumes' : 'fails'}</Fact>
        <Fact name="Cost limit of a task">
          {agent.maxCostUsd === undefined ? 'none' : formatUsd(agent.maxCostUsd)}
        </Fact>
        <Fact name="Checked">{agent.inService ? <Checked health={agent.health} /> : '–'}</Fact>
        <Fact name="Circuit">{breaker ? <BreakerState state={breaker.state} /> : '–'}</Fact>
        <Fact name="Last task">{lastActivity === undefined ? 'none yet' : <When at={lastActivity} />}</Fact>
      </dl>
      <div className="mt-auto border-t px-3.5 py-2">
        <Link to="/tasks" search={{ agent: type }} className="text-muted-foreground hover:underline">
          Tasks of this agent
        </Link>
      </div>
    </Panel>
  )
}

const Trouble = ({ agent, condition, outcomes, breaker }: Omit<Props, 'monthUsd'>) => {
  // A hold explains what the health check says, and the check is of the service's own program.
  const message = condition === 'held' || !agent.inService ? undefined : agent.health.message
  const advice = agentAdvice(agent, condition, breaker)
  const failing = condition === 'failing' ? outcomes && failingTime(outcomes) : undefined
  if (!advice) return message ? <p className="text-muted-foreground">{message}</p> : null
  return (
    <div role="note" className="rounded-md border px-3 py-2">
      {message && <p className="font-medium [overflow-wrap:anywhere]">{message}</p>}
      <p className="text-muted-foreground">
        {advice}{' '}
        {failing && (
          <Link to="/tasks/failures" className="underline">
            {formatNumber(failing.failed)} of {formatNumber(failing.completed + failing.failed)} failed in the
            last {failing.label}
          </Link>
        )}
      </p>
    </div>
  )
}

const Checked = ({ health: { lastChecked, latencyMs } }: Pick<Agent, 'health'>) => (
  <>
    <When at={lastChecked} />
    {latencyMs !== undefined && (
      <span className="text-muted-foreground"> in {formatDuration(latencyMs)}</span>
    )}
  </>
)

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className="min-w-0">
    <dt className="text-xs text-muted-foreground">{name}</dt>
    <dd className="truncate">{children}</dd>
  </div>
)
