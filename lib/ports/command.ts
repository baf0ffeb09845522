/** A program and its arguments, never a shell line. `env` is added to the clean environment. */
export type Command = {
  file: string
  args: readonly string[]
  /**
   * Who chose the program and its arguments: the service (clone, diff, search), or an agent. Where no sandbox works, the
   * service may refuse programs of agents.
   */
  by: 'service' | 'agent'
  /** The working directory. */
  cwd: string
  home: string
  /** The folder for temporary files; the system's when absent. */
  tmp?: string
  /** Folders that the program may write to. In a sandbox it sees only these, the system's folders and `reads`. */
  writes: readonly string[]
  /** Further files and folders that the program may read. */
  reads?: readonly string[]
  /** `host`: the network of the service. Absent: no network, or for programs of agents what the operator allows. */
  network?: 'host'
  env?: Readonly<Record<string, string>>
  timeoutMs: number
  /** The most bytes that are kept of each output stream; the rest is read and dropped. */
  maxBytes: number
  signal: AbortSignal
}

/**
 * The limits of a command: memory of all its processes, the number of processes and threads, and disk space in the
 * folders it writes to.
 */
export type CommandLimit = 'memory' | 'processes' | 'disk'

/** `exitCode` is null for a command that was stopped or killed by a signal; 127 means that the program does not exist. */
export type CommandResult = {
  exitCode: number | null
  stdout: string
  stderr: string
  /** Whether output was dropped. */
  truncated: boolean
  timedOut: boolean
  /** The exceeded limit, and a message that names its value and its setting. */
  exceeded?: { limit: CommandLimit; message: string }
}

/**
 * Child processes with a clean environment: PATH, HOME, LANG, TERM, TMPDIR and `env`. On abort and time-out the command
 * and all processes it started get SIGTERM, and a second later SIGKILL; for an exceeded limit SIGKILL at once. No process
 * outlives the promise, and in a sandbox none outlives the service. `run` resolves for any exit code. It rejects with the
 * signal's reason once all processes have ended, and with Problem `unavailable` `sandbox_missing` where the service
 * refuses programs of agents.
 */
export interface Commands {
  run(command: Command): Promise<CommandResult>
}
