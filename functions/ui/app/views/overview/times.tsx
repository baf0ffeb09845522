import { formatNumber } from '../../components/format.ts'
import { Scroller } from '../../components/scroller.tsx'
import { formatDuration } from '../../components/time.ts'
import { Panel } from '../../components/view.tsx'
import { useAgentName } from '../../data/agents.ts'
import { type Happened, useRecent, type Window } from '../../data/analytics.ts'

type Durations = Pick<Happened, 'wait' | 'run'>

export const Times = ({ window }: { window: Window }) => {
  const { data } = useRecent(window)
  const agentName = useAgentName()
  if (data === undefined || data.wait.count + data.run.count === 0) return null
  const agents = Object.entries(data.byAgent).filter(([, { wait, run }]) => wait.count + run.count > 0)
  return (
    <Panel title="Waits and runs">
      <Scroller label="Durations" role="group" className="overflow-x-auto">
        <table className="w-full text-right tabular-nums">
          <thead className="text-xs text-muted-foreground">
            <tr>
              <th scope="col" className="px-3.5 py-1.5 text-left font-medium">
                Agent
              </th>
              {['Wait p50', 'p95', 'Run p50', 'p95', 'Runs'].map((name, n) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: columns have no other name.
                <th key={n} scope="col" className="px-3.5 py-1.5 font-medium whitespace-nowrap">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            <Row name="All" durations={data} />
            {agents.length > 1 &&
              agents.map(([agent, durations]) => (
                <Row key={agent} name={agentName(agent)} durations={durations} />
              ))}
          </tbody>
        </table>
      </Scroller>
    </Panel>
  )
}

const Row = ({ name, durations: { wait, run } }: { name: string; durations: Durations }) => (
  <tr className="border-t">
    <th scope="row" className="max-w-40 truncate px-3.5 py-1.5 text-left font-normal">
      {name}
    </th>
    {[wait.p50Ms, wait.p95Ms, run.p50Ms, run.p95Ms].map((ms, n) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: cells have no other name.
      <td key={n} className="px-3.5 py-1.5 whitespace-nowrap">
        {ms === undefined ? '–' : formatDuration(ms)}
      </td>
    ))}
    <td className="px-3.5 py-1.5">{formatNumber(run.count)}</td>
  </tr>
)
