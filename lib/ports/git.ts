import type { Command, CommandResult } from './command.ts'
import type { RemoteSource } from './repositories.ts'

/** The one host that git may connect to, and the addresses that were checked for it. */
export type PinnedHost = RemoteSource['host']

/** Who commits, where the service does. */
export const COMMITTER = { name: 'agent', email: 'agent@localhost' } as const

/** Of HTTP Basic authentication (RFC 7617). */
export type Credential = { username: string; password: string }

export type GitCall = {
  /** The folder that `args` act on. Git never looks for a repository above it. */
  cwd: string
  home: string
  tmp?: string
  /** `agent` for arguments that an agent chose; the service when absent. */
  by?: Command['by']
  args: readonly string[]
  /** The transport that this one call may use (`file`); none when absent. */
  transports?: readonly 'file'[]
  /** The host of a clone, fetch or push over https. Only a call that has one reaches the network. */
  host?: PinnedHost
  /**
   * The credentials for `host`. Git is given them for this one call, and neither arguments nor files have it. A call of an
   * agent has none.
   */
  credential?: Credential | undefined
  /** Folders of this machine that are read besides, such as the source of a local clone. */
  reads?: readonly string[]
  /**
   * Acts on the files in `cwd` by a git directory of the service's own, in place of the one that lies there. Only objects
   * are read from there: nothing of its settings, attributes, hooks and index.
   */
  apart?: { gitDir: string; objects: string }
  timeoutMs?: number
  maxBytes?: number
  signal: AbortSignal
}

/**
 * Git without surprises: no prompt, no hook, no pager, no editor, no credential helper, no settings of the system or the
 * user, and no network but to a pinned host, which is not redirected. `run` answers whatever the exit code.
 */
export interface Git {
  run(call: GitCall): Promise<CommandResult>
  /** Whether git is there and starts. */
  isThere(timeoutMs: number): Promise<boolean>
}
