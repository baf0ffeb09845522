import { RefreshCw } from 'lucide-react'
import type { ReactNode } from 'react'
import { agentCondition } from '../../components/agent-condition.ts'
import { Button } from '../../components/button.tsx'
import { Command } from '../../components/copy.tsx'
import { Empty } from '../../components/empty.tsx'
import { Problem } from '../../components/problem.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { View } from '../../components/view.tsx'
import { useAgents } from '../../data/agents.ts'
import { useRecentOutcomes } from '../../data/analytics.ts'
import { useHealth } from '../../data/health.ts'
import { AgentCard } from './agent-card.tsx'

export const Agents = (): ReactNode => {
  const { data, error, refetch, isFetching } = useAgents()
  const { data: health } = useHealth()
  const breakers = health?.components.circuitBreakers.breakers ?? []
  const { getOutcomes } = useRecentOutcomes()
  const healthy = data?.filter((agent) => agentCondition(agent, getOutcomes(agent)) === 'healthy').length
  return (
    <View
      title="Agents"
      aside={
        data && (
          <span className="text-muted-foreground">
            {healthy} of {data.length} healthy
          </span>
        )
      }
      actions={
        <Button
          onClick={() => void refetch()}
          disabled={isFetching}
          title="Checks the health of every agent now"
        >
          <RefreshCw size={14} /> Check now
        </Button>
      }
    >
      {error && !data && <Problem error={error} onRetry={() => void refetch()} />}
      {data?.length === 0 && <NoAgents />}
      <div className="grid gap-4 p-4 md:px-6 xl:grid-cols-2">
        {data?.map((agent) => (
          <AgentCard
            key={agent.type}
            agent={agent}
            outcomes={getOutcomes(agent)}
            breaker={breakers.find(({ name }) => name === `agent:${agent.type}`)}
          />
        ))}
        {!data && !error && <Skeleton className="h-80 rounded-lg" />}
      </div>
    </View>
  )
}

const NoAgents = () => (
  <Empty title="No agents registered">
    <p className="pb-3">
      Tasks wait until one is registered. Set your adapter's module and restart the service:
    </p>
    <Command text="AGENT_ADAPTERS=./agents/my-agent.js npm start" />
  </Empty>
)
