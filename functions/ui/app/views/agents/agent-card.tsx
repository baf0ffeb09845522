import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Agent } from '../../../../../lib/agents/schema.ts'
import type { BreakerReading } from '../../../../../lib/health/schema.ts'
import { adviceOf, conditionOf, conditions, type Ends } from '../../components/agent-condition.ts'
import { BreakerState } from '../../components/breaker-state.tsx'
import { countOf } from '../../components/format.ts'
import { Tag } from '../../components/tag.tsx'
import { spanOf } from '../../components/time.ts'
import { Panel } from '../../components/view.tsx'
import { When } from '../../components/when.tsx'
import { Stats } from './stats.tsx'

type Props = { agent: Agent; ends: Ends | undefined; breaker: BreakerReading | undefined }

export const AgentCard = ({ agent, ends, breaker }: Props) => {
  const { type, name, description, capabilities, health, lastActivity } = agent
  const { says, tone } = conditions[conditionOf(agent, ends)]
  return (
    <Panel title={name} aside={<Tag tone={tone}>{says}</Tag>}>
      <div className="flex flex-col gap-3 p-3.5">
        <p>
          <code className="mr-2 font-mono text-xs text-muted-foreground">{type}</code>
          {description}
        </p>
        <ul aria-label="Capabilities" className="flex flex-wrap gap-1.5">
          {capabilities.map((one) => (
            <li key={one}>
              <Tag>{one}</Tag>
            </li>
          ))}
        </ul>
        <Trouble {...{ agent, ends, breaker }} />
      </div>
      <Stats agent={agent} />
      <dl className="grid grid-cols-2 gap-x-4 gap-y-2 border-t p-3.5 sm:grid-cols-4">
        <Fact name="Checked">
          <When at={health.lastChecked} />
        </Fact>
        <Fact name="Answered in">{health.latencyMs === undefined ? '–' : spanOf(health.latencyMs)}</Fact>
        <Fact name="Circuit">{breaker ? <BreakerState state={breaker.state} /> : '–'}</Fact>
        <Fact name="Last task">{lastActivity === undefined ? 'none yet' : <When at={lastActivity} />}</Fact>
      </dl>
      <div className="border-t px-3.5 py-2">
        <Link to="/tasks" search={{ agent: type }} className="text-muted-foreground hover:underline">
          Tasks of this agent
        </Link>
      </div>
    </Panel>
  )
}

/** What the agent said of itself; what to do about it where it is not well. */
const Trouble = ({ agent, ends, breaker }: Props) => {
  const { message } = agent.health
  const advice = adviceOf(agent, ends, breaker)
  if (!advice) return message ? <p className="text-muted-foreground">{message}</p> : null
  return (
    <div role="note" className="rounded-md border px-3 py-2">
      {message && <p className="font-medium [overflow-wrap:anywhere]">{message}</p>}
      <p className="text-muted-foreground">
        {advice}{' '}
        {conditionOf(agent, ends) === 'failing' && ends && (
          <Link to="/failures" className="underline">
            {countOf(ends.failed)} of {countOf(ends.completed + ends.failed)} failed in the last 24 hours
          </Link>
        )}
      </p>
    </div>
  )
}

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className="min-w-0">
    <dt className="text-xs text-muted-foreground">{name}</dt>
    <dd className="truncate">{children}</dd>
  </div>
)
