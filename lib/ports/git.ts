import type { CommandResult } from './command.ts'

export type GitCall = {
  /** The folder that `args` act on. Git never looks for a repository above it. */
  cwd: string
  home: string
  args: readonly string[]
  /** Transports that this one call may use (`https`, `file`); none when absent. */
  transports?: readonly string[]
  /** A file to use in place of the repository's index. */
  indexFile?: string
  timeoutMs?: number
  maxBytes?: number
  signal: AbortSignal
}

/**
 * Git without surprises: no prompt, no hook, no pager, no editor, no credential helper, no settings of the system or
 * the user. `run` answers whatever the exit code.
 */
export interface Git {
  run(call: GitCall): Promise<CommandResult>
}
