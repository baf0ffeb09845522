/** A program and its arguments, never a line for a shell. `env` is added to the clean environment. */
export type Command = {
  file: string
  args: readonly string[]
  /** The folder it runs in. */
  cwd: string
  home: string
  env?: Readonly<Record<string, string>>
  timeoutMs: number
  /** Most bytes that are kept of each output stream; the rest is read and dropped. */
  maxBytes: number
  signal: AbortSignal
}

/** `exitCode` is null for a command that a signal ended; 127 means that there is no such program. */
export type CommandResult = {
  exitCode: number | null
  stdout: string
  stderr: string
  /** Whether output was dropped. */
  truncated: boolean
  timedOut: boolean
}

/**
 * Child processes with a clean environment: PATH, HOME, LANG, TERM and what `env` adds. The command and all it started
 * are one group: on abort and time-out the group gets SIGTERM, a second later SIGKILL, and nothing of it outlives the
 * promise. `run` answers whatever the exit code, and rejects with the signal's reason once the group is gone.
 */
export interface Commands {
  run(command: Command): Promise<CommandResult>
}
