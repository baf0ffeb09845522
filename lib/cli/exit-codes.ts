/** The exit codes. `usage` is that of sysexits.h, `interrupted` that of a shell after SIGINT. */
export const EXIT = {
  done: 0,
  failed: 1,
  cancelled: 2,
  unreachable: 3,
  usage: 64,
  interrupted: 130,
} as const

/** An invalid command line. The message is for its user. */
export class UsageError extends Error {
  /** The command whose help explains it. */
  readonly command: string | undefined
  constructor(message: string, command?: string) {
    super(message)
    this.command = command
  }
}

/** A short id that fits several things. The message and the candidates, a line each, are for its user. */
export class AmbiguousId extends Error {
  readonly code = 'ambiguous_id'
  readonly candidates: readonly string[]
  constructor(message: string, candidates: readonly string[]) {
    super(message)
    this.candidates = candidates
  }
}
