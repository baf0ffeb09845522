import { cutText } from '../../../core/cut-text.ts'
import { taskFailure } from '../../../core/task-failure.ts'
import { withShortPaths } from '../../../core/without-paths.ts'
import type { Program } from '../../node/command.ts'

const MOST_LINES = 10

export const agentFailure = (code: string, message: string, retryable = true) =>
  taskFailure('unavailable', code, message, retryable)

const lastLines = (errors: string): string => cutText(errors.split('\n').slice(-MOST_LINES).join('\n'), 1_000)

/** The message, and what the agent wrote last, for a person who looks for the cause, without the paths of this machine. */
export const withErrors = (
  message: string,
  { lastErrors, cwd }: Pick<Program, 'lastErrors' | 'cwd'>,
): string => {
  const errors = lastErrors().trim()
  return withShortPaths(errors === '' ? message : `${message}: ${lastLines(errors)}`, cwd)
}

/** The failure of a program that ended before its work was done. */
export const endFailure = async (program: Program): Promise<Error> => {
  const { exitCode, exceeded } = await program.ended
  if (exceeded) return agentFailure('agent_limit', `The agent was stopped: ${exceeded.message}`, false)
  // A shell and `env` say so of what is missing, and of what may not be run or is no program.
  if (exitCode === 127 || exitCode === 126)
    return agentFailure('agent_missing', withErrors('The agent could not be started', program), false)
  const how = exitCode === null ? 'by a signal' : `with exit code ${exitCode}`
  return agentFailure('agent_exited', withErrors(`The agent ended ${how}`, program))
}
