import { useNavigate, useSearch } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../../components/button.tsx'
import { Empty } from '../../components/empty.tsx'
import { formatNumber } from '../../components/format.ts'
import { PagedRows } from '../../components/paged-rows.tsx'
import { View } from '../../components/view.tsx'
import { type Paging, usePage } from '../../data/page.ts'
import { type ListedSchedule, useSchedules } from '../../data/schedules.ts'
import { NewScheduleDialog, ScheduleDialog } from './schedule-dialog.tsx'
import { ScheduleHead, ScheduleRow } from './schedule-row.tsx'

const NEW = 'new'

/** The open schedule in the address: an id or `new`. */
const useOpen = () => {
  const { schedule }: { schedule?: string } = useSearch({ strict: false })
  const navigate = useNavigate()
  const open = (next: string | undefined) =>
    void navigate({ to: '.', search: (before: object) => ({ ...before, schedule: next }) } as never)
  return { schedule, open }
}

export const Schedules = (): ReactNode => {
  const { schedule, open } = useOpen()
  const close = () => open(undefined)
  const paging = usePage()
  const query = useSchedules(paging.query)
  const total = query.data?.total ?? 0
  return (
    <View
      title="Schedules"
      aside={total > 0 && <span className="text-muted-foreground">{formatNumber(total)}</span>}
      actions={
        <Button kind="primary" onClick={() => open(NEW)}>
          <Plus size={14} /> New schedule
        </Button>
      }
    >
      <div className="mx-auto w-full max-w-[90rem] p-4 md:px-6">
        <List paging={paging} query={query} onNew={() => open(NEW)} />
      </div>
      {schedule === NEW && <NewScheduleDialog onClose={close} />}
      {schedule !== undefined && schedule !== NEW && <ScheduleDialog id={schedule} onClose={close} />}
    </View>
  )
}

const curl = () =>
  `curl -X POST ${location.origin}/api/schedules -H 'content-type: application/json' \\\n  -d '{"name": "Nightly", "cron": "30 2 * * *", "timezone": "Europe/Vienna",\n       "task": {"title": "Update", "prompt": "Update the dependencies"}}'`

/** Paused ones come last. */
const byNextRun = (a: ListedSchedule, b: ListedSchedule) =>
  (a.nextRunAt ?? '9') < (b.nextRunAt ?? '9') ? -1 : 1

type ListProps = { paging: Paging; query: ReturnType<typeof useSchedules>; onNew: () => void }

const List = ({ paging, query, onNew }: ListProps) => {
  const total = query.data?.total ?? 0
  return (
    <div className="rounded-lg border bg-card">
      {total > 0 && <ScheduleHead />}
      <PagedRows
        label="Schedules"
        query={query}
        paging={paging}
        getItems={({ schedules }) => schedules.toSorted(byNextRun)}
        empty={
          <Empty
            title="No schedules yet"
            curl={curl()}
            action={
              <Button onClick={onNew}>
                <Plus size={14} /> New schedule
              </Button>
            }
          >
            A schedule creates a task at set times.
          </Empty>
        }
      >
        {(one) => <ScheduleRow schedule={one} />}
      </PagedRows>
    </div>
  )
}
