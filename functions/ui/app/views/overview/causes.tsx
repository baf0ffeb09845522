import { Link } from '@tanstack/react-router'
import { AgentName } from '../../components/agent-name.tsx'
import { Facts } from '../../components/facts.tsx'
import { formatNumber } from '../../components/format.ts'
import { NotYet } from '../../components/not-yet.tsx'
import { SkeletonRows } from '../../components/skeleton.tsx'
import { Spark } from '../../components/spark.tsx'
import { Panel } from '../../components/view.tsx'
import { When } from '../../components/when.tsx'
import type { Window } from '../../data/analytics.ts'
import { causeTitle, useFailures } from '../../data/failures.ts'
import { windows } from './windows.ts'

const SHOWN = 5

export const Causes = ({ window }: { window: Window }) => {
  const query = useFailures(windows[window].hours)
  const groups = query.data?.failures.filter(({ muted }) => !muted).slice(0, SHOWN)
  return (
    <Panel
      title="Failures"
      aside={
        <Link
          to="/tasks/failures"
          search={window === '7d' ? {} : { since: '24h' }}
          className="text-muted-foreground hover:text-foreground"
        >
          All
        </Link>
      }
    >
      {groups ? (
        <ul className="divide-y">
          {groups.map(({ fingerprint, lastMessage, agent, count, lastSeen, spark }) => (
            <li key={fingerprint}>
              <Link
                to="/tasks/queue"
                search={{ status: 'all', fingerprint }}
                className="flex gap-2 px-3.5 py-2 hover:bg-muted"
              >
                <span className="min-w-5 font-semibold text-failed">{formatNumber(count)}</span>
                <span className="min-w-0 flex-1">
                  <span className="line-clamp-2 [overflow-wrap:anywhere]">{causeTitle({ lastMessage })}</span>
                  <span className="flex items-center gap-2 text-xs text-muted-foreground">
                    <span className="mr-auto min-w-0">
                      <Facts
                        facts={[<AgentName key="agent" type={agent} />, <When key="last" at={lastSeen} />]}
                      />
                    </span>
                    <Spark
                      counts={spark}
                      label={`Failures over time: ${spark.join(', ')}`}
                      className="h-4 max-w-28"
                    />
                  </span>
                </span>
              </Link>
            </li>
          ))}
          {groups.length === 0 && (
            <li className="px-3.5 py-4 text-muted-foreground">No failures in {windows[window].label}.</li>
          )}
        </ul>
      ) : (
        <NotYet query={query}>
          <SkeletonRows count={2} />
        </NotYet>
      )}
    </Panel>
  )
}
