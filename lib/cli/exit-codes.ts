/** What the command ends with. `usage` is that of sysexits.h, `interrupted` that of a shell after SIGINT. */
export const EXIT = {
  done: 0,
  failed: 1,
  cancelled: 2,
  unreachable: 3,
  usage: 64,
  interrupted: 130,
} as const

/** The command line does not say what to do. The message does. */
export class UsageError extends Error {
  /** The command whose help has more. */
  readonly command: string | undefined
  constructor(message: string, command?: string) {
    super(message)
    this.command = command
  }
}
