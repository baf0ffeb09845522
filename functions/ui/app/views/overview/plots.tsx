import { NotYet } from '../../components/not-yet.tsx'
import { Plot } from '../../components/plot.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { Panel } from '../../components/view.tsx'
import { useAnalytics } from '../../data/analytics.ts'
import { failureRate, lastDays } from './days.ts'

const DAYS = 30
const compact = new Intl.NumberFormat(undefined, { notation: 'compact' })
const countText = (value: number) => (Number.isInteger(value) ? compact.format(value) : '')
const percentText = (value: number) => `${Math.round(value * 100)}%`

/** Throughput and failures of the last thirty days. */
export const Plots = () => {
  const query = useAnalytics()
  const { data } = query
  const days = data && lastDays(data.daily, Date.now(), DAYS)
  const waiting = (
    <NotYet query={query}>
      <Skeleton className="m-2 h-[10.75rem]" />
    </NotYet>
  )
  return (
    <>
      <Panel title="Throughput" aside={<Note />}>
        {days ? <Throughput days={days} /> : waiting}
      </Panel>
      <Panel title="Failures" aside={<Note />}>
        {days ? (
          <Plot
            label="Part of the tasks that failed, by day"
            days={days.map(({ date }) => date)}
            says={percentText}
            series={[
              { label: 'Failed', values: days.map(failureRate), colour: '--failed-soft', form: 'bars' },
            ]}
          />
        ) : (
          waiting
        )}
      </Panel>
    </>
  )
}

const Note = () => <span className="text-xs text-muted-foreground">{DAYS} days, UTC</span>

/** Bars on top of each other: the sum is drawn first, what is below over it. */
const Throughput = ({ days }: { days: ReturnType<typeof lastDays> }) => (
  <Plot
    label="Tasks that ended, and tasks that were created, by day"
    days={days.map(({ date }) => date)}
    says={countText}
    series={[
      {
        label: 'Failed',
        values: days.map((day) => day.failed),
        drawn: days.map((day) => day.completed + day.failed),
        colour: '--failed-soft',
        form: 'bars',
      },
      {
        label: 'Completed',
        values: days.map((day) => day.completed),
        colour: '--completed-soft',
        form: 'bars',
      },
      {
        label: 'Created',
        values: days.map((day) => day.created),
        colour: '--muted-foreground',
        form: 'line',
      },
    ]}
  />
)
