import { Link, useNavigate } from '@tanstack/react-router'
import { Ellipsis, Pencil, Trash2, Zap } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/confirm.tsx'
import { Facts } from '../../components/facts.tsx'
import { Popover, PopoverClose } from '../../components/popover.tsx'
import { errorMessage } from '../../components/problem.tsx'
import { State } from '../../components/state.tsx'
import { Switch } from '../../components/switch.tsx'
import { toast } from '../../components/toast.tsx'
import { When } from '../../components/when.tsx'
import { useAgents } from '../../data/agents.ts'
import {
  type ListedSchedule,
  useChangeSchedule,
  useDeleteSchedule,
  useRunSchedule,
} from '../../data/schedules.ts'
import { Due, ZoneNote } from './due.tsx'
import { repeatInWords } from './repeat.ts'

const grid =
  'grid grid-cols-[minmax(0,1fr)_auto] gap-x-5 md:grid-cols-[minmax(0,1fr)_minmax(0,16rem)_8rem_8rem_5rem]'

/** The names of the columns, which the rows of a phone do not have. */
export const ScheduleHead = () => (
  <div aria-hidden className={`${grid} border-b px-3.5 py-2 text-xs text-muted-foreground max-md:hidden`}>
    <span>Schedule</span>
    <span>When</span>
    <span>Next</span>
    <span>Last run</span>
    <span />
  </div>
)

export const ScheduleRow = ({ schedule }: { schedule: ListedSchedule }) => {
  const { id, name, cron, timezone, enabled, nextRunAt, lastError } = schedule
  return (
    <li className={`${grid} relative items-center gap-y-1 px-3.5 py-2.5 hover:bg-muted/60`}>
      <div className="min-w-0">
        <Link
          to="/schedules"
          search={(before) => ({ ...before, schedule: id })}
          className="block truncate font-medium after:absolute after:inset-0"
        >
          {name}
        </Link>
        <Task task={schedule.task} />
      </div>
      <Controls schedule={schedule} />
      <div className="col-span-2 flex min-w-0 flex-wrap gap-x-3 text-muted-foreground md:contents">
        <span title={cron} className={`min-w-0 ${enabled ? 'text-foreground' : ''}`}>
          {repeatInWords(cron) ?? <code className="font-mono text-xs">{cron}</code>}
          <ZoneNote timezone={timezone} />
        </span>
        <span>{nextRunAt ? <Due at={nextRunAt} timezone={timezone} /> : 'Paused'}</span>
        <LastRun schedule={schedule} />
      </div>
      {lastError && (
        <p className="col-span-full text-destructive md:order-last [overflow-wrap:anywhere]">
          Last run failed: {lastError.message} ({lastError.code}). Open the schedule to change its task.
        </p>
      )}
    </li>
  )
}

/** What became of the task that it created last, and when that was. */
const LastRun = ({ schedule: { name, lastRunAt, lastTaskId, lastTask } }: { schedule: ListedSchedule }) => {
  if (!lastRunAt || !lastTaskId) return <span className="max-md:hidden">–</span>
  return (
    <span className="relative z-1 flex min-w-0 items-baseline gap-x-2 md:flex-col md:items-start">
      <Link to="/tasks/$id" params={{ id: lastTaskId }} className="underline-offset-2 hover:underline">
        <span className="sr-only">Last run of {name} </span>
        {lastTask ? <State {...lastTask} /> : 'Last run'}
      </Link>
      <When at={lastRunAt} className="text-xs" />
    </span>
  )
}

/** Who works on it, and where. */
const Task = ({ task: { assignedAgent, repository } }: Pick<ListedSchedule, 'task'>) => {
  const { data: agents } = useAgents()
  const agent = agents?.find(({ type, isDefault }) =>
    assignedAgent === undefined ? isDefault : type === assignedAgent,
  )
  return (
    <span className="block min-w-0 truncate text-xs text-muted-foreground">
      <Facts facts={[agent?.name ?? assignedAgent, repository]} />
    </span>
  )
}

const Controls = ({ schedule: { id, name, enabled, task } }: { schedule: ListedSchedule }) => {
  const run = useRunSchedule(id)
  const change = useChangeSchedule(id)
  const remove = useDeleteSchedule()
  const navigate = useNavigate()
  const [isDeleting, setDeleting] = useState(false)
  const turn = () =>
    change.mutate(
      { enabled: !enabled },
      {
        onSuccess: () => void toast.done(enabled ? `${name} paused` : `${name} resumed`),
        onError: (error) => void toast.failed(`${name} not changed`, errorMessage(error)),
      },
    )
  const runNow = () =>
    run.mutate(undefined, {
      onSuccess: () => void toast.done('Task created', task.title),
      onError: (error) => void toast.failed(`${name} created no task`, errorMessage(error)),
    })
  const edit = () =>
    void navigate({ to: '/schedules', search: (before: object) => ({ ...before, schedule: id }) } as never)
  return (
    <div className="relative z-1 -mr-2 flex items-center justify-end gap-1 md:order-last">
      <Switch
        label={`Active: ${name}`}
        isOn={enabled}
        title={enabled ? 'Pause' : 'Resume'}
        disabled={change.isPending}
        onChange={turn}
      />
      <Popover
        label={`More for ${name}`}
        trigger={
          <Button kind="ghost" size="icon" aria-label={`More for ${name}`} title="Run now, edit, delete">
            <Ellipsis size={16} />
          </Button>
        }
      >
        <div className="flex flex-col items-stretch p-1.5">
          <PopoverClose onClick={runNow} render={<Button needsService kind="ghost" />}>
            <Zap size={14} /> Run now
          </PopoverClose>
          <PopoverClose onClick={edit} render={<Button kind="ghost" />}>
            <Pencil size={14} /> Edit
          </PopoverClose>
          <PopoverClose
            onClick={() => setDeleting(true)}
            render={<Button needsService kind="ghost" className="text-destructive" />}
          >
            <Trash2 size={14} /> Delete
          </PopoverClose>
        </div>
      </Popover>
      <ConfirmDialog
        verb="Delete"
        title={`Delete ${name}`}
        isOpen={isDeleting}
        onClose={() => setDeleting(false)}
        onConfirm={() => remove.mutateAsync(id)}
      >
        It creates no more tasks. Existing tasks stay. To stop it for a while, pause it.
      </ConfirmDialog>
    </div>
  )
}
