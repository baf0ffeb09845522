import { Link } from '@tanstack/react-router'
import { RefreshCw } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Agent } from '../../../../../lib/agents/schema.ts'
import type { BreakerReading } from '../../../../../lib/health/schema.ts'
import {
  agentAdvice,
  type Condition,
  commandToMend,
  conditions,
  failingTime,
  notableFailureRate,
  type RecentOutcomes,
} from '../../components/agent-condition.ts'
import { BreakerState } from '../../components/breaker-state.tsx'
import { Button } from '../../components/button.tsx'
import { ConditionTag } from '../../components/condition-tag.tsx'
import { Command } from '../../components/copy.tsx'
import { formatNumber, formatUsd } from '../../components/format.ts'
import { Tag } from '../../components/tag.tsx'
import { formatDuration } from '../../components/time.ts'
import { Panel } from '../../components/view.tsx'
import { When } from '../../components/when.tsx'
import { useCheckAgents } from '../../data/agents.ts'
import { Family } from './family.tsx'
import { Stats } from './stats.tsx'

type Props = {
  agent: Agent
  condition: Condition | undefined
  outcomes: RecentOutcomes | undefined
  breaker: BreakerReading | undefined
  monthUsd: number | undefined
}

const formatShare = (rate: number) => `${Math.round(rate * 100)}%`

const hasRun = ({ stats: { completed, failed } }: Agent) => completed + failed > 0

export const AgentCard = ({ agent, condition, outcomes, breaker, monthUsd }: Props) => {
  const { type, name, description, capabilities, lastActivity } = agent
  return (
    <Panel
      title={name}
      aside={
        <span className="flex min-w-0 items-center gap-2">
          <FailureRate agent={agent} condition={condition} />
          <ConditionTag condition={condition} />
        </span>
      }
    >
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

/** Beside an agent that responds: that it is ready does not say that its tasks succeed. */
const FailureRate = ({ agent: { type, stats }, condition }: Pick<Props, 'agent' | 'condition'>) => {
  const rate = notableFailureRate(stats)
  if (condition !== 'healthy' || rate === undefined) return null
  return (
    <Link
      to="/tasks"
      search={{ agent: type, status: 'failed' }}
      className="rounded underline-offset-2 hover:underline"
      title={`${stats.failed} of ${stats.completed + stats.failed} tasks failed`}
    >
      <Tag tone="warn">{formatShare(rate)} failed</Tag>
    </Link>
  )
}

const Trouble = ({ agent, condition, outcomes, breaker }: Omit<Props, 'monthUsd'>) => {
  // A hold explains what the health check says, and the check is of the service's own program.
  const message = condition === 'held' || !agent.inService ? undefined : agent.health.message
  const advice = agentAdvice(agent, condition, breaker)
  const command = commandToMend(message)
  const isBad = condition !== undefined && conditions[condition].tone === 'bad'
  const failing = condition === 'failing' ? outcomes && failingTime(outcomes) : undefined
  if (!advice) return message ? <p className="text-muted-foreground">{message}</p> : null
  return (
    <div
      role="note"
      className={`flex flex-col gap-1.5 rounded-md border px-3 py-2 ${isBad ? 'border-failed/50 bg-failed/6' : ''}`}
    >
      {message && <p className="font-medium [overflow-wrap:anywhere]">{message.replaceAll('`', '')}</p>}
      {command && <Command text={command} />}
      <p className="text-muted-foreground">
        {advice}{' '}
        {failing && (
          <Link to="/tasks/failures" className="text-foreground underline underline-offset-2">
            {formatNumber(failing.failed)} of {formatNumber(failing.completed + failing.failed)} failed in the
            last {failing.label}
          </Link>
        )}
      </p>
      {condition === 'unhealthy' && <CheckAgain name={agent.name} />}
    </div>
  )
}

const CheckAgain = ({ name }: { name: string }) => {
  const { mutate, isPending } = useCheckAgents()
  return (
    <Button
      size="small"
      needsService
      className="self-start"
      aria-label={`Check again: ${name}`}
      disabled={isPending}
      onClick={() => mutate()}
    >
      <RefreshCw size={13} /> Check again
    </Button>
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
