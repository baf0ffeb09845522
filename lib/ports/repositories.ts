/** A checked place to clone from. `shown` is the address as people may read it. */
export type Source = RemoteSource | LocalSource

/**
 * `addresses` are all that the host may be connected to; `url` names the host as they were checked for it. `hosted` names it
 * on the code host whose accounts people link: tokens of those may be sent there, and nowhere else.
 */
export type RemoteSource = {
  transport: 'https'
  url: string
  host: { name: string; port: number; addresses: readonly string[] }
  hosted?: HostedName
  shown: string
}

/** `owner/repo` in its parts. */
export type HostedName = { owner: string; name: string }

/** `reads` are the folders of this machine that git reads: the git directory, and the common one of a linked worktree. */
export type LocalSource = { transport: 'file'; gitDir: string; reads: readonly string[]; shown: string }

/** Who names a repository. Only the local admin may name any path of this machine. */
export type Asker = { isLocalAdmin: boolean }

/**
 * The repositories that tasks may name: `owner/repo`, https URLs, paths and `file:` URLs of this machine.
 *
 * Both verbs throw Problem `invalid` `repository_refused` for a host or a path that the asker may not use. All refused
 * hosts answer alike, independent of what listens there and of whether their name exists, so that an answer reveals
 * nothing of a network. So do all refused paths.
 */
export interface Repositories {
  /**
   * Checks what a caller names, before it is stored. A form that nothing can be cloned from passes, since agents of the
   * operator may know more forms; a URL with credentials is Problem `invalid` `repository_invalid`.
   */
  check(repository: string, asker: Asker): Promise<void>
  /**
   * The source to clone now. Also throws `repository_invalid` for any other form, and `clone_failed` where there is no
   * repository. `retryable` on what it throws says whether another attempt may end otherwise.
   */
  sourceOf(repository: string, asker: Asker): Promise<Source>
}
