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

const hasRun = ({ stats: { completed, failed } }: Agent) => completed + failed > 0

export const AgentCard = ({ agent, condition, outcomes, breaker, monthUsd }: Props) => {
  const { type, name, description, capabilities, lastActivity } = agent
  return (
    <Panel title={name} aside={<ConditionTag condition={condition} />}>
      <div className="flex flex-col gap-3 p-3.5">
        <div>
          <Family agent={agent} />
          <p>{description}</p>
        </div>
        <ul aria-label="Capabilities" className="flex flex-wrap gap-1.5 empty:hidden">
          {capabilities.map((one) => (
            <li key={one}>
              <Tag>{one}</Tag>
            </li>
          ))}
        </ul>
        <Trouble agent={agent} condition={condition} outcomes={outcomes} breaker={breaker} />
      </div>
      {hasRun(agent) && <Stats agent={agent} monthUsd={monthUsd} />}
      <dl className="flex flex-wrap gap-x-8 gap-y-2 border-t p-3.5">
        <Fact name="Last task">
          {lastActivity === undefined ? (
            'none yet'
          ) : (
            <Link to="/tasks" search={{ agent: type }} className="underline underline-offset-2">
              <When at={lastActivity} />
            </Link>
          )}
        </Fact>
        <Fact name="Time limit">{formatDuration(agent.timeoutMs)}</Fact>
        {agent.canResume && <Fact name="After a timeout">resumes</Fact>}
        {agent.maxCostUsd !== undefined && (
          <Fact name="Cost limit of a task">{formatUsd(agent.maxCostUsd)}</Fact>
        )}
        {agent.inService && (
          <Fact name="Checked">
            <Checked health={agent.health} />
          </Fact>
        )}
        {breaker && breaker.state !== 'CLOSED' && (
          <Fact name="Circuit">
            <BreakerState state={breaker.state} />
          </Fact>
        )}
      </dl>
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
