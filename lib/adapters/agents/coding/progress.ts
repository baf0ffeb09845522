import type { LoopEvent } from '../../../ports/tool.ts'

const MOST = 300

/** The event as a line of the task's progress, or undefined when it is not worth one. */
export const progressOf = (event: LoopEvent): string | undefined => {
  if (event.type === 'step:start') return `Step ${event.step} of ${event.maxSteps}`
  if (event.type === 'tool:call') return event.title.slice(0, MOST)
  if (event.type === 'tool:result' && event.outcome.failed)
    return `${event.title.slice(0, MOST - 20)}: ${event.outcome.decision === 'allowed' ? 'failed' : event.outcome.decision}`
  return undefined
}
