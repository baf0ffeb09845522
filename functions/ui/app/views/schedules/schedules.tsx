import { useNavigate, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Button } from '../../components/button.tsx'
import { Empty } from '../../components/empty.tsx'
import { Plus } from '../../components/icons.tsx'
import { NotYet } from '../../components/not-yet.tsx'
import { Pager } from '../../components/pager.tsx'
import { Rows } from '../../components/rows.tsx'
import { SkeletonRows } from '../../components/skeleton.tsx'
import { Panel, View } from '../../components/view.tsx'
import { usePage } from '../../data/page.ts'
import { useSchedules } from '../../data/schedules.ts'
import { NewScheduleDialog, ScheduleDialog } from './schedule-dialog.tsx'
import { ScheduleRow } from './schedule-row.tsx'

const NEW = 'new'

/** Which schedule is open, as the address says: one by its id, or a new one. */
const useOpen = () => {
  const { schedule }: { schedule?: string } = useSearch({ strict: false })
  const navigate = useNavigate()
  const open = (next: string | undefined) =>
    void navigate({ to: '.', search: (before: object) => ({ ...before, schedule: next }) } as never)
  return { schedule, open }
}

/** What creates tasks by the clock. */
export const Schedules = (): ReactNode => {
  const { schedule, open } = useOpen()
  const close = () => open(undefined)
  return (
    <View
      title="Schedules"
      actions={
        <Button kind="primary" onClick={() => open(NEW)}>
          <Plus size={14} /> New schedule
        </Button>
      }
    >
      <div className="mx-auto w-full max-w-4xl p-4 md:p-6">
        <List />
      </div>
      {schedule === NEW && <NewScheduleDialog onClose={close} />}
      {schedule !== undefined && schedule !== NEW && <ScheduleDialog id={schedule} onClose={close} />}
    </View>
  )
}

const curl = () =>
  `curl -X POST ${location.origin}/api/schedules -H 'content-type: application/json' \\\n  -d '{"name": "Nightly", "cron": "30 2 * * *", "timezone": "Europe/Vienna",\n       "task": {"title": "Update", "prompt": "Update the dependencies"}}'`

const List = () => {
  const paging = usePage()
  const query = useSchedules(paging.query)
  const { data } = query
  return (
    <Panel title="Schedules" aside={<span className="text-muted-foreground">{data?.total}</span>}>
      {!data && (
        <NotYet query={query}>
          <SkeletonRows count={4} />
        </NotYet>
      )}
      {data?.total === 0 && (
        <Empty title="No schedules yet" curl={curl()}>
          Each creates a task at the times of its pattern, and is for all who sign in:
        </Empty>
      )}
      {data && data.total > 0 && (
        <Rows label="Schedules">
          {data.schedules.map((one) => (
            <ScheduleRow key={one.id} schedule={one} />
          ))}
        </Rows>
      )}
      <Pager paging={paging} total={data?.total} />
    </Panel>
  )
}
