/** A program and its arguments, never a line for a shell. `env` is added to the clean environment. */
export type Command = {
  file: string
  args: readonly string[]
  /**
   * Who chose the program and its arguments: the service (clone, diff, search), or an agent. Where no sandbox works,
   * programs of agents may be refused.
   */
  by: 'service' | 'agent'
  /** The folder it runs in. */
  cwd: string
  home: string
  /** The folder of its temporary files; those of the system when absent. */
  tmp?: string
  /** Folders that it may write to; in a sandbox it sees no others but the system's and `reads`. */
  writes: readonly string[]
  /** Further files and folders that it may read. */
  reads?: readonly string[]
  /** `host`: the network as the service has it. Absent: none, or for programs of agents what the operator allows. */
  network?: 'host'
  env?: Readonly<Record<string, string>>
  timeoutMs: number
  /** Most bytes that are kept of each output stream; the rest is read and dropped. */
  maxBytes: number
  signal: AbortSignal
}

/** What a command may not use more of: memory of all its processes, their number with
 * that of their threads, disk space of what it writes to. */
export type CommandLimit = 'memory' | 'processes' | 'disk'

/** `exitCode` is null for a command that was stopped or that a signal ended; 127 means that there is no such program. */
export type CommandResult = {
  exitCode: number | null
  stdout: string
  stderr: string
  /** Whether output was dropped. */
  truncated: boolean
  timedOut: boolean
  /** The limit that it was stopped for, and what that limit is, in words that name its setting. */
  exceeded?: { limit: CommandLimit; message: string }
}

/**
 * Child processes with a clean environment: PATH, HOME, LANG, TERM, TMPDIR and what `env` adds. On abort and time-out the
 * command and all that it started get SIGTERM, a second later SIGKILL; for an exceeded limit SIGKILL at once. None of it
 * outlives the promise, and in a sandbox none of it outlives the service either. `run` answers whatever the exit code. It
 * rejects with the signal's reason once all is gone, and with Problem `unavailable` `sandbox_missing` where programs of
 * agents are refused.
 */
export interface Commands {
  run(command: Command): Promise<CommandResult>
}
