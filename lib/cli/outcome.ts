import type { Task } from '../tasks/schema.ts'
import { diffStat } from './diff-stat.ts'
import { EXIT } from './exit-codes.ts'
import { safeLine, safeText, type Terminal } from './terminal.ts'

/** Prints what a task that has ended gave back, and resolves to the exit code for its end. */
export const showOutcome = (task: Task, { out, say, paint }: Terminal): number => {
  const { status, result, error } = task
  if (result?.output) out(safeText(result.output).trimEnd())
  const stat = result && diffStat(result, paint)
  if (stat) out(`\n${stat}`)
  if (status === 'failed')
    say(paint('red', `Failed: ${safeLine(error?.message ?? 'no reason was given')}`, { said: true }))
  if (status === 'cancelled') say(paint('yellow', 'Cancelled', { said: true }))
  return exitOf(task)
}

/** The exit code for the end of a task. */
export const exitOf = ({ status }: Task): number => {
  if (status === 'completed') return EXIT.done
  return status === 'cancelled' ? EXIT.cancelled : EXIT.failed
}
