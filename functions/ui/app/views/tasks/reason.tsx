import { AgentName } from '../../components/agent-name.tsx'
import { expiresAtMs, formatTimeLeft, useCountdown } from '../../components/countdown.ts'
import { formatNumber } from '../../components/format.ts'
import { startOfLine } from '../../components/text-weight.ts'
import { visibleText } from '../../components/visible-text.ts'
import { placeInLine, waitingText } from '../../components/waiting.ts'
import { type Approval, useApprovals } from '../../data/approvals.ts'
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

/** Whether a row says what it waits for, its error, or what its agent asks. */
export const hasReason = (task: TaskRow): boolean =>
  task.waitingFor !== undefined || task.question !== undefined || isFailed(task)

/** Waits that are said as a whole beside the title or by the state: on wide screens they need no line of their own. */
const BESIDE: ReadonlySet<TaskRow['waitingFor']> = new Set(['slot', 'budget'])

export const hasReasonLine = (task: TaskRow): boolean => hasReason(task) && !BESIDE.has(task.waitingFor)

/** Waits that end without anybody: colour is for those that do not. */
const goesOnByItself: ReadonlySet<TaskRow['waitingFor']> = new Set(['slot', 'schedule'])

export const Reason = ({ task }: { task: TaskRow }) => {
  if (task.waitingFor === 'approval') return <WaitingCall task={task} />
  // On wide screens both are beside the title.
  if (task.waitingFor === 'slot') return <Place task={task} />
  const waits = waitingText(task, serverNow())
  const tone = goesOnByItself.has(task.waitingFor) ? 'text-muted-foreground' : 'text-queued'
  if (waits) return <span className={`truncate ${tone}`}>{waits}</span>
  if (task.question)
    return <span className="truncate text-queued">Asks: {startOfLine(task.question.text)}</span>
  return isFailed(task) && <ErrorText error={task.error} />
}

/** `4th in line for Atlas`; the limit that is reached as its title. */
export const Place = ({ task }: { task: TaskRow }) => (
  <span className="truncate text-muted-foreground" title={task.waiting?.message}>
    {placeInLine(task.waiting ?? {})} for <AgentName type={task.agent} />
  </span>
)

/** A command without the name of the tool that runs it; other calls say what they do. */
const callText = ({ toolName, title }: Approval): string =>
  toolName === 'run_command' && title.startsWith(`${toolName} `) ? title.slice(toolName.length + 1) : title

/** The call that waits for a decision, and how long that may take. */
const WaitingCall = ({ task }: { task: TaskRow }) => {
  const { data: approvals = [] } = useApprovals()
  const calls = approvals.filter(({ taskId }) => taskId === task.id)
  const [call] = calls
  const leftMs = useCountdown(expiresAtMs(call?.expiresAt))
  if (call === undefined) return <span className="truncate text-queued">Waiting for approval</span>
  return (
    <>
      <span className="truncate font-mono text-foreground" title={call.toolName}>
        {startOfLine(visibleText(callText(call)))}
      </span>
      {calls.length > 1 && <span className="shrink-0">and {formatNumber(calls.length - 1)} more</span>}
      {Number.isFinite(leftMs) && (
        <span className="shrink-0 text-queued tabular-nums">{formatTimeLeft(leftMs)} left</span>
      )}
    </>
  )
}

export const ErrorText = ({ error }: { error: TaskRow['error'] }) =>
  error && (
    <span className="truncate text-muted-foreground" title={error.code}>
      {error.code !== PLAIN && <span className="font-medium text-failed">{causeText(error.code)}: </span>}
      {startOfLine(error.message)}
    </span>
  )
