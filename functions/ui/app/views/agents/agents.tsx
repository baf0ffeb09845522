import { RefreshCw } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Agent } from '../../../../../lib/agents/schema.ts'
import type { Condition } from '../../components/agent-condition.ts'
import { useAgentConditions } from '../../components/agent-conditions.ts'
import { Button } from '../../components/button.tsx'
import { Command } from '../../components/copy.tsx'
import { Empty } from '../../components/empty.tsx'
import { errorMessage, Problem } from '../../components/problem.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { toast } from '../../components/toast.tsx'
import { View } from '../../components/view.tsx'
import { useAgents, useCheckAgents } from '../../data/agents.ts'
import { useAnalytics } from '../../data/analytics.ts'
import { useHealth } from '../../data/health.ts'
import { AgentCard } from './agent-card.tsx'
import { NotSetUp } from './not-set-up.tsx'
import { Runners } from './runners.tsx'

/** What needs a person comes first; each group keeps the order of the service. */
const places: Readonly<Record<Condition, number>> = {
  unhealthy: 0,
  failing: 1,
  held: 2,
  unassigned: 3,
  healthy: 4,
  demo: 5,
  unconfigured: 6,
}

/** What takes tasks. */
const READY: ReadonlySet<Condition | undefined> = new Set(['healthy', 'demo'])

const useSortedAgents = () => {
  const { data, ...query } = useAgents()
  const { getOutcomes, getCondition } = useAgentConditions()
  const place = (agent: Agent) => places[getCondition(agent) ?? 'healthy']
  const sorted = data?.toSorted((a, b) => place(a) - place(b))
  return {
    ...query,
    getOutcomes,
    getCondition,
    all: sorted,
    setUp: sorted?.filter(({ configured }) => configured) ?? [],
    others: sorted?.filter(({ configured }) => !configured) ?? [],
    healthy: sorted?.filter((agent) => READY.has(getCondition(agent))).length ?? 0,
  }
}

export const Agents = (): ReactNode => {
  const { all, setUp, others, healthy, getOutcomes, getCondition, error, refetch } = useSortedAgents()
  const { data: health } = useHealth()
  const breakers = health?.components.circuitBreakers.breakers ?? []
  const month = useAnalytics().data?.month
  const { mutate, isPending } = useCheckAgents()
  const check = () =>
    mutate(undefined, { onError: (failure) => void toast.failed('Not checked', errorMessage(failure)) })
  return (
    <View
      title="Agents"
      aside={
        all && (
          <span className="text-muted-foreground">
            {healthy} of {setUp.length} ready{others.length > 0 && `, ${others.length} not set up`}
          </span>
        )
      }
      actions={
        <Button needsService onClick={check} disabled={isPending} title="Checks the health of each agent now">
          <RefreshCw size={14} /> {isPending ? 'Checking…' : 'Check again'}
        </Button>
      }
    >
      {error && !all && <Problem error={error} onRetry={() => void refetch()} />}
      {all?.length === 0 && <NoAgents />}
      <div className="flex flex-col gap-4 p-4 md:px-6">
        <div className="gap-4 *:mb-4 max-xl:-mb-4 *:break-inside-avoid empty:hidden xl:columns-2">
          {setUp.map((agent) => (
            <AgentCard
              key={agent.type}
              agent={agent}
              condition={getCondition(agent)}
              outcomes={getOutcomes(agent)}
              monthUsd={month && (month.costByAgent[agent.type] ?? 0)}
              breaker={breakers.find(({ name }) => name === `agent:${agent.type}`)}
            />
          ))}
          {!all && !error && <Skeleton className="h-80 rounded-lg" />}
        </div>
        {others.length > 0 && <NotSetUp agents={others} />}
        <Runners />
      </div>
    </View>
  )
}

const NoAgents = () => (
  <Empty title="No agents registered">
    <p className="pb-3">
      Tasks wait until you register one. Set the module of your agent and restart the service:
    </p>
    <Command text="AGENT_ADAPTERS=./agents/my-agent.js npm start" />
  </Empty>
)
