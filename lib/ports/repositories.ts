/** A checked clone source. `shown` is the address for people. */
export type Source = RemoteSource | LocalSource

/**
 * `addresses` are all addresses that the host may be connected to; `url` names the host that was checked. `hosted` is its
 * name on the code host whose accounts people link: tokens of these accounts are sent there only.
 */
export type RemoteSource = {
  transport: 'https'
  url: string
  host: { name: string; port: number; addresses: readonly string[] }
  hosted?: HostedName
  shown: string
}

/** Credentials of HTTP Basic authentication (RFC 7617). */
export type Credential = { username: string; password: string }

/** `owner/repo` in two parts. */
export type HostedName = { owner: string; name: string }

/**
 * `reads` are the folders of this machine that git reads: the git directory, and the common directory of a linked
 * worktree.
 */
export type LocalSource = { transport: 'file'; gitDir: string; reads: readonly string[]; shown: string }

/** The caller who names a repository. Only the local admin may name any path of this machine. */
export type Asker = { isLocalAdmin: boolean }

/**
 * The repositories that tasks may name: `owner/repo`, https URLs, paths and `file:` URLs of this machine.
 *
 * Both verbs throw Problem `invalid` `repository_refused` for a host or a path that the asker may not use. The answer is
 * the same for all refused hosts, whether or not a host exists or listens: it reveals nothing about a network. The same
 * holds for all refused paths.
 */
export interface Repositories {
  /**
   * Checks a caller's repository before it is stored. An unknown form passes, since agents of the operator may support
   * more forms; a URL with credentials is Problem `invalid` `repository_invalid`.
   */
  check(repository: string, asker: Asker): Promise<void>
  /**
   * Resolves the clone source. Also throws `repository_invalid` for any other form, and `clone_failed` where there is no
   * repository. `retryable` on its errors says whether another attempt may succeed.
   */
  sourceOf(repository: string, asker: Asker): Promise<Source>
}
