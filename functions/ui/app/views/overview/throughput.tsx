import { lastDays } from '../../components/days.ts'
import { formatCompact } from '../../components/format.ts'
import { NotYet } from '../../components/not-yet.tsx'
import { Plot } from '../../components/plot.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { Panel } from '../../components/view.tsx'
import { useAnalytics } from '../../data/analytics.ts'
import { serverNow } from '../../data/server-clock.ts'

const DAYS = 30
const countText = (value: number) => (Number.isInteger(value) ? formatCompact(value) : '')

export const Throughput = () => {
  const query = useAnalytics()
  const { data } = query
  return (
    <Panel title="Throughput" aside={<Note />}>
      {data ? (
        <Days days={lastDays(data.daily, serverNow(), DAYS)} />
      ) : (
        <NotYet query={query}>
          <Skeleton className="m-2 h-[10.75rem]" />
        </NotYet>
      )}
    </Panel>
  )
}

const Note = () => <span className="text-xs text-muted-foreground">{DAYS} days, UTC</span>

/** Stacked bars: the sum is drawn first, the lower part over it. */
const Days = ({ days }: { days: ReturnType<typeof lastDays> }) => (
  <Plot
    label="Tasks that ended, and tasks that were created, by day"
    days={days.map(({ date }) => date)}
    format={countText}
    series={[
      {
        label: 'Failed',
        values: days.map((day) => day.failed),
        drawnTo: days.map((day) => day.completed + day.failed),
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
