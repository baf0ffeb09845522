import { startOfLine } from '../../components/text-weight.ts'
import { waitingText } from '../../components/waiting.ts'
import { serverNow } from '../../data/server-clock.ts'
import type { TaskRow } from './rows.ts'

/** The error of the agent itself: its message says more than this. */
const PLAIN = 'agent_error'

/** `rate_limited` → `Rate limited` */
const causeText = (code: string): string => {
  const text = code.replaceAll('_', ' ')
  return text.replace(/^./u, (letter) => letter.toUpperCase())
}

const isFailed = (task: TaskRow) => task.status === 'failed' && task.error !== undefined

/** Whether a row says why it is not completed: what it waits for, or its error. */
export const hasReason = (task: TaskRow): boolean => task.waitingFor !== undefined || isFailed(task)

/** Waits that end without anybody: colour is for those that do not. */
const goesOnByItself: ReadonlySet<TaskRow['waitingFor']> = new Set(['slot', 'schedule'])

export const Reason = ({ task }: { task: TaskRow }) => {
  const waits = waitingText(task, serverNow())
  const tone = goesOnByItself.has(task.waitingFor) ? 'text-muted-foreground' : 'text-queued'
  if (waits) return <span className={`truncate ${tone}`}>{waits}</span>
  return isFailed(task) && <ErrorText error={task.error} />
}

export const ErrorText = ({ error }: { error: TaskRow['error'] }) =>
  error && (
    <span className="truncate text-muted-foreground" title={error.code}>
      {error.code !== PLAIN && <span className="font-medium text-failed">{causeText(error.code)}: </span>}
      {startOfLine(error.message)}
    </span>
  )
