import type { ReactNode } from 'react'
import { AgentName } from '../../components/agent-name.tsx'
import { lastDays } from '../../components/days.ts'
import { formatNumber, formatUsd } from '../../components/format.ts'
import { Person } from '../../components/person.tsx'
import { Plot } from '../../components/plot.tsx'
import { Panel } from '../../components/view.tsx'
import { useAnalytics } from '../../data/analytics.ts'
import { serverNow } from '../../data/server-clock.ts'

type Analytics = NonNullable<ReturnType<typeof useAnalytics>['data']>

const DAYS = 30
const WEEK = 7
const SHOWN = 5

/** Renders nothing where no task called a model. */
export const Costs = () => {
  const { data } = useAnalytics()
  if (data === undefined || data.costUsd + data.unknownCostTasks === 0) return null
  return (
    <Panel title="Cost" aside={<span className="text-xs text-muted-foreground">US dollars, UTC</span>}>
      <Sums data={data} />
      <Plot
        label="Cost by day"
        days={lastDays(data.daily, serverNow(), DAYS).map(({ date }) => date)}
        format={formatUsd}
        series={[
          {
            label: 'Cost',
            values: lastDays(data.daily, serverNow(), DAYS).map(({ costUsd }) => costUsd),
            colour: '--muted-foreground',
            form: 'bars',
          },
        ]}
      />
      <div className="grid gap-px overflow-hidden rounded-b-lg border-t bg-border sm:grid-cols-3">
        <Highest title="Agents" costs={data.costByAgent} show={(type) => <AgentName type={type} />} />
        <Highest title="Repositories" costs={data.costByRepository} />
        <Highest title="Users" costs={data.costByUser} show={(id) => <Person id={id} />} />
      </div>
    </Panel>
  )
}

const Sums = ({ data: { month, costUsd, unknownCostTasks, daily } }: { data: Analytics }) => (
  <dl className="flex flex-wrap gap-x-6 gap-y-2 px-3.5 pt-3">
    <Sum name="Last 7 days">
      {formatUsd(lastDays(daily, serverNow(), WEEK).reduce((sum, day) => sum + day.costUsd, 0))}
    </Sum>
    <Sum name="This month">{formatUsd(month.costUsd)}</Sum>
    <Sum name="In all">{formatUsd(costUsd)}</Sum>
    {unknownCostTasks > 0 && <Sum name="Tasks of unknown cost">{formatNumber(unknownCostTasks)}</Sum>}
  </dl>
)

const Sum = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className="flex flex-col-reverse">
    <dt className="text-xs text-muted-foreground">{name}</dt>
    <dd className="text-xl leading-7 font-semibold">{children}</dd>
  </div>
)

type HighestProps = {
  title: string
  costs: Readonly<Record<string, number>>
  show?: (name: string) => ReactNode
}

const Highest = ({ title, costs, show = (name) => name }: HighestProps) => {
  const rows = Object.entries(costs)
    .filter(([, usd]) => usd > 0)
    .toSorted(([, a], [, b]) => b - a)
  const most = rows[0]?.[1] ?? 1
  return (
    <section aria-label={`Cost by ${title.toLowerCase()}`} className="min-w-0 bg-card px-3.5 py-2.5">
      <h3 className="pb-1 text-xs font-medium text-muted-foreground">{title}, in all</h3>
      <ul className="flex flex-col gap-1">
        {rows.slice(0, SHOWN).map(([name, usd]) => (
          <li key={name}>
            <span className="flex justify-between gap-2">
              <span className="min-w-0 truncate">{show(name)}</span>
              <span>{formatUsd(usd)}</span>
            </span>
            <span aria-hidden className="block h-1 rounded-full bg-muted">
              <span
                className="block h-full rounded-full bg-input"
                style={{ width: `${(100 * usd) / most}%` }}
              />
            </span>
          </li>
        ))}
      </ul>
      {rows.length === 0 && <p className="text-muted-foreground">None</p>}
      {rows.length > SHOWN && (
        <p className="pt-1 text-xs text-muted-foreground">{formatNumber(rows.length - SHOWN)} more</p>
      )}
    </section>
  )
}
