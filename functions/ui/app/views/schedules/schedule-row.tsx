import { Link } from '@tanstack/react-router'
import { Pause, Play, Zap } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { Confirm } from '../../components/confirm.tsx'
import { Facts } from '../../components/facts.tsx'
import { errorMessage } from '../../components/problem.tsx'
import { Row } from '../../components/rows.tsx'
import { Tag } from '../../components/tag.tsx'
import { toast } from '../../components/toast.tsx'
import { When } from '../../components/when.tsx'
import {
  type ListedSchedule,
  useChangeSchedule,
  useDeleteSchedule,
  useRunSchedule,
} from '../../data/schedules.ts'
import { cronInWords } from './cron-words.ts'
import { Due } from './due.tsx'

const link = 'underline underline-offset-2'

export const ScheduleRow = ({ schedule }: { schedule: ListedSchedule }) => {
  const { id, name, cron, timezone, enabled, nextRunAt, lastRunAt, lastTaskId, lastError } = schedule
  return (
    <Row
      title={
        <Link to="/schedules" search={(before) => ({ ...before, schedule: id })} className="hover:underline">
          {name}
        </Link>
      }
      aside={
        <>
          {!enabled && <Tag>Paused</Tag>}
          {lastError && <Tag tone="bad">Last run failed</Tag>}
        </>
      }
      meta={
        <>
          <Facts
            facts={[
              <span key="pattern" title={cron}>
                {cronInWords(cron) ?? <code className="font-mono text-xs">{cron}</code>}
              </span>,
              timezone,
              nextRunAt ? <Due key="due" at={nextRunAt} timezone={timezone} /> : 'no runs while paused',
              lastRunAt && lastTaskId ? (
                <>
                  last run{' '}
                  <Link to="/tasks/$id" params={{ id: lastTaskId }} className={link}>
                    <When at={lastRunAt} />
                  </Link>
                </>
              ) : (
                'no runs yet'
              ),
            ]}
          />
          {lastError && (
            <p className="text-destructive">
              Last run: {lastError.message} ({lastError.code}). Open the schedule to change its task.
            </p>
          )}
        </>
      }
      actions={<Actions schedule={schedule} />}
    />
  )
}

const Actions = ({ schedule: { id, name, enabled, task } }: { schedule: ListedSchedule }) => {
  const run = useRunSchedule(id)
  const change = useChangeSchedule(id)
  const remove = useDeleteSchedule()
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
      onError: (error) => void toast.failed(`${name} created no task`, errorMessage(error)),
    })
  return (
    <div className="flex flex-wrap items-center gap-2">
      {run.data && (
        <span role="status">
          Created{' '}
          <Link to="/tasks/$id" params={{ id: run.data.id }} className={link}>
            {task.title}
          </Link>
        </span>
      )}
      <Button
        needsService
        size="small"
        aria-label={`Run now: ${name}`}
        disabled={run.isPending}
        onClick={runNow}
      >
        <Zap size={13} /> Run now
      </Button>
      <Button
        needsService
        size="small"
        aria-label={enabled ? `Pause ${name}` : `Resume ${name}`}
        disabled={change.isPending}
        onClick={turn}
      >
        {enabled ? <Pause size={13} /> : <Play size={13} />} {enabled ? 'Pause' : 'Resume'}
      </Button>
      <Confirm verb="Delete" title={`Delete ${name}`} onConfirm={() => remove.mutateAsync(id)}>
        It creates no more tasks. Existing tasks stay. To stop it for a while, pause it.
      </Confirm>
    </div>
  )
}
