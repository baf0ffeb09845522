import { Link, useSearch } from '@tanstack/react-router'
import { ownOutput } from '../../../../../lib/core/own-output.ts'
import type { TaskStatus } from '../../../../../lib/tasks/machine.ts'
import type { Task } from '../../../../../lib/tasks/schema.ts'
import { switchLinkClass } from '../../components/button.tsx'
import { Cost } from '../../components/cost.tsx'
import { Facts } from '../../components/facts.tsx'
import { Problem } from '../../components/problem.tsx'
import { SkeletonRows } from '../../components/skeleton.tsx'
import { Dot, State } from '../../components/state.tsx'
import { formatDuration } from '../../components/time.ts'
import { type Attempt, type ReadAttempt, useAttempt, useAttempts } from '../../data/attempts.ts'
import { attemptNames, attemptTookMs } from './attempt-name.ts'
import { ChangedFiles } from './changed-files.tsx'
import { Patch } from './changes.tsx'
import { columnClass } from './column.ts'
import { Failure } from './failure.tsx'
import { FinalText } from './output.tsx'

type Look = { status: TaskStatus; waitingFor?: 'approval'; word: string }

/** How an attempt is marked, by the state of a task that looks the same. */
export const attemptStates = {
  running: { status: 'in_progress', word: 'Running' },
  waiting: { status: 'in_progress', waitingFor: 'approval', word: 'Needs approval' },
  completed: { status: 'completed', word: 'Completed' },
  failed: { status: 'failed', word: 'Failed' },
  cancelled: { status: 'cancelled', word: 'Cancelled' },
  lost: { status: 'failed', word: 'Worker lost' },
  interrupted: { status: 'queued', word: 'Interrupted' },
  refused: { status: 'queued', word: 'Refused' },
} as const satisfies Record<Attempt['status'], Look>

/** The earlier attempt that the address names; the page itself shows the last one. */
export const useShownAttempt = (task: Task): Attempt | undefined => {
  const { attempt: shown } = useSearch({ from: '/tasks/$id' })
  return useAttempts(task)
    .slice(0, -1)
    .find(({ id }) => id === shown)
}

/** Renders nothing for a single attempt. */
export const AttemptLinks = ({ task }: { task: Task }) => {
  const attempts = useAttempts(task)
  const shown = useShownAttempt(task) ?? attempts.at(-1)
  if (attempts.length < 2) return null
  const names = attemptNames(attempts)
  return (
    <nav aria-label="Attempts" className="overflow-x-auto border-b px-2 py-1.5 md:px-4">
      <ul className="flex gap-1">
        {attempts.map(({ id, status }) => (
          <li key={id}>
            <Link
              from="/tasks/$id"
              to="."
              search={({ tab }) => ({
                ...(tab ? { tab } : {}),
                ...(id === attempts.at(-1)?.id ? {} : { attempt: id }),
              })}
              replace
              aria-label={`${names.get(id)}, ${attemptStates[status].word}`}
              aria-current={id === shown?.id ? 'page' : undefined}
              className={`${switchLinkClass} gap-1.5 whitespace-nowrap`}
            >
              <Dot {...attemptStates[status]} /> {names.get(id)}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}

type Props = { task: Task; attempt: Attempt; isOfChanges?: boolean }

/** An attempt that another one followed: why it ended, and what it left. */
export const EarlierAttempt = ({ task, attempt, isOfChanges = false }: Props) => {
  const { data: read, error, refetch } = useAttempt(task.id, attempt.id)
  if (!read)
    return error ? <Problem error={error} onRetry={() => void refetch()} /> : <SkeletonRows count={4} />
  if (isOfChanges) return <Patch result={read.result} task={task} none="This attempt made no changes." />
  return <Left task={task} attempt={read} />
}

const Left = ({ task, attempt }: { task: Task; attempt: ReadAttempt }) => {
  const { status, error, result, cost, runner } = attempt
  const tookMs = attemptTookMs(attempt)
  const output = ownOutput(attempt)
  return (
    <div className={`flex flex-col divide-y ${columnClass}`}>
      <div className="flex flex-wrap items-center gap-x-3 px-3.5 py-2 text-muted-foreground">
        <State {...attemptStates[status]} />
        <Facts
          facts={[
            tookMs !== undefined && formatDuration(tookMs),
            cost && <Cost key="cost" cost={cost} isAlone />,
            runner,
          ]}
        />
      </div>
      {error && <Failure error={error} title="Why it ended" />}
      {output !== '' && (
        <section aria-label="Result">
          <FinalText output={output} />
        </section>
      )}
      <ChangedFiles task={{ id: task.id, result }} attempt={attempt.id} />
      {!error && !result && (
        <p className="px-3.5 py-3 text-muted-foreground">Nothing was stored for this attempt.</p>
      )}
    </div>
  )
}
