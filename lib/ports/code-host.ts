import type { HostedName } from './repositories.ts'

/** An account of the code host for one run. Its token is never stored. */
export type CodeHostAccount = {
  token: string
  /** The scopes that the code host named when the account was linked; empty where it named none. */
  scopes: readonly string[]
}

/** The account for tasks of this user; undefined where the user has linked none, or none that is usable. */
export type AccountFor = (userId: string) => Promise<CodeHostAccount | undefined>

export type PullRequest = { number: number; url: string }

export type WantedPullRequest = {
  repository: HostedName
  /** The branch with the changes, in the same repository. */
  branch: string
  base: string
  title: string
  body: string
  /** Whether a closed pull request counts too: only this service uses the branch name. */
  isOwnBranch: boolean
}

/** What the code host says about a repository and the account's rights. */
type HostedRepository = { defaultBranch: string; mayPush: boolean }

type ReachableRepository = { name: string; defaultBranch: string; private: boolean }

/**
 * What an account reaches on the code host, at most 100 each. Throws Problem `missing` `repository_not_found` for one that
 * the account does not reach, and `unavailable` `code_host_unavailable` without a usable answer.
 */
export interface CodeHostLists {
  /** Names as `owner/repo`; the last pushed to come first. */
  repositories(account: CodeHostAccount): Promise<ReachableRepository[]>
  branches(name: HostedName, account: CodeHostAccount): Promise<string[]>
}

/**
 * The API of the code host, called with the token of an account. Both verbs throw Problem `forbidden`
 * `code_host_forbidden` when the account lacks the right, `invalid` `pull_request_refused` when the code host refuses the
 * request, and `unavailable` `code_host_unavailable` when a few tries got no usable answer. No message quotes the code
 * host.
 */
export interface CodeHost {
  repository(name: HostedName, account: CodeHostAccount): Promise<HostedRepository>
  /** The pull request of a branch: an existing one, else a new one. A repeated call does not make a second one. */
  pullRequest(wanted: WantedPullRequest, account: CodeHostAccount): Promise<PullRequest>
}
