import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { LoopEvent } from '../ports/tool.ts'
import { createLoopEvents } from './loop-events.ts'
import type { AgentSessions, TaskFacts, TaskSessionRun } from './sessions.ts'

/** How a run of a task ended. */
type RunEnd =
  | { kind: 'succeeded'; result: { output: string; usage?: object | undefined } }
  | { kind: 'failed'; error: { code: string; message: string } }
  | { kind: 'waiting'; message: string }
  | { kind: 'stopped'; reason: string }

/** A task as it was claimed: `fence` grows with each claim, `attempts` with each that counts. */
type ClaimedTask = TaskFacts & { readonly fence: number; readonly attempts: number }

type Needs = {
  sessions: Pick<AgentSessions, 'openRun'>
  /** The provider and model that the runs of tasks use. */
  target: () => { provider: string; model: string }
  clock: Clock
  ids: Ids
}

/**
 * The runs of tasks as agent sessions: one session a task, its attempts inside. An agent that says nothing of its steps has
 * no session.
 */
export const createTaskRuns = ({ sessions, target, clock, ids }: Needs) => {
  const begin = (task: ClaimedTask) => {
    const chosen = target()
    const run = sessions.openRun(task, task.fence, chosen)
    run.emit('session:start', { taskId: task.id, attempt: task.attempts, ...chosen })
    return { run, tell: createLoopEvents({ emit: run.emit, clock, ids, showThinking: true }) }
  }
  return (task: ClaimedTask) => {
    let begun: ReturnType<typeof begin> | undefined
    return {
      observe: (event: LoopEvent): void => {
        begun ??= begin(task)
        begun.tell(event)
      },
      end: (ended: RunEnd): Promise<void> | undefined => {
        if (begun === undefined) return undefined
        tellEnd(begun.run, ended)
        return begun.run.close()
      },
    }
  }
}

const tellEnd = ({ emit }: TaskSessionRun, ended: RunEnd): void => {
  if (ended.kind === 'succeeded') {
    const { output, usage } = ended.result
    emit('summary', { summary: output })
    emit('complete', { finishReason: 'stop', ...tokensOf(usage) })
  } else if (ended.kind === 'failed') emit('error', ended.error)
  else if (ended.kind === 'waiting') emit('approval:pending', { message: ended.message })
  else emit('error', { code: ended.reason.toUpperCase(), message: `The run was stopped: ${ended.reason}.` })
}

const tokensOf = (usage: object | undefined) => {
  const { promptTokens, completionTokens, totalTokens } = (usage ?? {}) as Record<string, unknown>
  return { totalTokens, inputTokens: promptTokens, outputTokens: completionTokens }
}
