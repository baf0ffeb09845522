import type { Cost } from '../core/cost.ts'
import { definedFields } from '../core/defined-fields.ts'
import type { AgentAdapter, WaitingCall } from '../ports/agent.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { LoopEvent, LoopResult } from '../ports/tool.ts'
import { completionData, createLoopEvents } from './loop-events.ts'
import type { SessionRuns, TaskSessionRun } from './session-runs.ts'
import type { TaskFacts } from './sessions.ts'

type RunEnd =
  | { kind: 'succeeded'; result: { output: string; [more: string]: unknown } }
  | { kind: 'failed'; error: { code: string; message: string }; next: 'retry' | 'retry uncounted' | 'fail' }
  | { kind: 'waiting'; message: string; approvals: readonly WaitingCall[] }
  | { kind: 'stopped'; reason: string }

/** A claimed task: `fence` grows with each claim, `attempts` with each counted attempt. */
type ClaimedTask = TaskFacts & {
  readonly fence: number
  readonly attempts: number
  readonly maxAttempts: number
}

type Agent = Pick<AgentAdapter, 'type' | 'family'>

type Needs = {
  sessions: Pick<SessionRuns, 'openRun'>
  /** The provider and model that an agent uses. */
  target: (agent: Agent) => { provider: string; model: string }
  clock: Clock
  ids: Ids
}

/** Shows the runs of a task as one agent session. An agent that reports no steps has no session. */
export const createTaskRuns = ({ sessions, target, clock, ids }: Needs) => {
  const begin = (task: ClaimedTask, agent: Agent) => {
    const chosen = target(agent)
    const run = sessions.openRun(task, task.fence, chosen)
    run.emit('session:start', { sessionId: run.id, taskId: task.id, attempt: task.attempts, ...chosen })
    return { run, emitEvent: createLoopEvents({ emit: run.emit, clock, ids, showThinking: true }) }
  }
  return (task: ClaimedTask, agent: Agent) => {
    let begun: ReturnType<typeof begin> | undefined
    return {
      observe: (event: LoopEvent): void => {
        begun ??= begin(task, agent)
        begun.emitEvent(event)
      },
      waits: (call: WaitingCall): void => {
        begun ??= begin(task, agent)
        begun.run.emit('approval:pending', { ...call, message: `Waiting for approval of ${call.name}` })
      },
      end: (ended: RunEnd, cost: Cost | undefined): Promise<void> | undefined => {
        if (begun === undefined) return undefined
        emitEnd(begun.run, task, ended, cost)
        return begun.run.close()
      },
    }
  }
}

/** `error` is always a session's last event, so an attempt that is followed by another one ends in `attempt:failed`. */
const emitEnd = (
  { emit }: TaskSessionRun,
  { attempts, maxAttempts }: ClaimedTask,
  ended: RunEnd,
  cost: Cost | undefined,
): void => {
  if (ended.kind === 'waiting') {
    const { message, approvals } = ended
    for (const call of approvals) emit('approval:pending', { ...call, message })
    if (approvals.length === 0) emit('approval:pending', { message })
    return
  }
  if (ended.kind === 'succeeded') {
    emit('summary', { summary: ended.result.output })
    // The coding agent has these facts; the result of another agent may lack them.
    const result = ended.result as Partial<LoopResult>
    emit('complete', completionData({ ...result, ...definedFields({ cost }) }, 'stop'))
    return
  }
  const error = ended.kind === 'failed' ? ended.error : stopped(ended.reason)
  const willRetry =
    ended.kind === 'failed' ? ended.next !== 'fail' : ended.reason !== 'cancelled' && attempts < maxAttempts
  const failure = { code: error.code.toUpperCase(), message: error.message }
  if (willRetry) emit('attempt:failed', { attempt: attempts, ...failure, ...definedFields({ cost }) })
  else emit('error', failure)
}

const stopped = (reason: string) => ({ code: reason, message: `The run was stopped: ${reason}.` })
