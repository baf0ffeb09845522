import type { Command, CommandResult } from './command.ts'
import type { RemoteSource } from './repositories.ts'

/** The one host that git may connect to, and the addresses that were checked for it. */
export type PinnedHost = RemoteSource['host']

/** The committer of commits that the service makes. */
export const COMMITTER = { name: 'agent', email: 'agent@localhost' } as const

/** Credentials of HTTP Basic authentication (RFC 7617). */
export type Credential = { username: string; password: string }

export type GitCall = {
  /** The folder that `args` act on. Git never searches for a repository above it. */
  cwd: string
  home: string
  tmp?: string
  /** `agent` for arguments that an agent chose; the service when absent. */
  by?: Command['by']
  args: readonly string[]
  /** The transport that this call may use (`file`); none when absent. */
  transports?: readonly 'file'[]
  /** The host of a clone, fetch or push over https. Only a call with a host reaches the network. */
  host?: PinnedHost
  /**
   * The credentials for `host`. Git gets them for this call only; neither arguments nor files contain them. A call of an
   * agent has none.
   */
  credential?: Credential | undefined
  /** Further folders of this machine that git reads, such as the source of a local clone. */
  reads?: readonly string[]
  /**
   * A git directory of the service, which is used on the files in `cwd`. Nothing is read from a git directory among them.
   */
  apart?: string
  timeoutMs?: number
  maxBytes?: number
  signal: AbortSignal
}

/**
 * Git in a controlled environment: no prompt, hook, pager, editor, credential helper or settings of the system or user,
 * and no network except to a pinned host, without redirects. `run` resolves for any exit code.
 */
export interface Git {
  run(call: GitCall): Promise<CommandResult>
  /** Whether git is installed and starts. */
  isThere(timeoutMs: number): Promise<boolean>
}
