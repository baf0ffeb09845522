import { Link } from '@tanstack/react-router'
import { useAgentConditions } from '../../components/agent-conditions.ts'
import { ConditionTag } from '../../components/condition-tag.tsx'
import { Facts } from '../../components/facts.tsx'
import { formatNumber } from '../../components/format.ts'
import { NotYet } from '../../components/not-yet.tsx'
import { SkeletonRows } from '../../components/skeleton.tsx'
import { formatDuration } from '../../components/time.ts'
import { Panel } from '../../components/view.tsx'
import { When } from '../../components/when.tsx'
import { useAgents } from '../../data/agents.ts'

export const Agents = () => {
  const query = useAgents()
  const { data } = query
  const others = data?.filter(({ configured }) => !configured) ?? []
  const { getCondition } = useAgentConditions()
  return (
    <Panel title="Agents">
      {data ? (
        <ul className="divide-y">
          {data
            .filter(({ configured }) => configured)
            .map((agent) => (
              <li key={agent.type} className="px-3.5 py-2.5">
                <div className="flex items-center justify-between gap-2">
                  <span className="truncate font-medium">{agent.name}</span>
                  <ConditionTag condition={getCondition(agent)} />
                </div>
                <p className="text-muted-foreground">
                  <Facts
                    facts={[
                      `${formatNumber(agent.stats.completed)} completed, ${formatNumber(agent.stats.failed)} failed`,
                      agent.stats.avgDuration > 0 && `${formatDuration(agent.stats.avgDuration)} on average`,
                      agent.lastActivity && (
                        <>
                          last <When at={agent.lastActivity} />
                        </>
                      ),
                    ]}
                  />
                </p>
                {getCondition(agent) === 'unhealthy' && agent.health.message && (
                  <p className="text-destructive [overflow-wrap:anywhere]">{agent.health.message}</p>
                )}
              </li>
            ))}
          {others.length > 0 && (
            <li>
              <Link to="/agents" className="block px-3.5 py-2.5 text-muted-foreground hover:bg-muted">
                Not set up: {others.map(({ name }) => name).join(', ')}
              </Link>
            </li>
          )}
        </ul>
      ) : (
        <NotYet query={query}>
          <SkeletonRows count={3} />
        </NotYet>
      )}
    </Panel>
  )
}
