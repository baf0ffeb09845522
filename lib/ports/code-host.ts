import type { HostedName } from './repositories.ts'

/** An account of the code host that a run acts as. Its token is for this call, never to be stored. */
export type CodeHostAccount = {
  token: string
  /** What it was granted, as the code host said when it was linked; empty where it says nothing. */
  scopes: readonly string[]
}

/** The account that a task of this user is run with; undefined when none is linked that may be used. */
export type AccountFor = (userId: string) => Promise<CodeHostAccount | undefined>

export type PullRequest = { number: number; url: string }

export type WantedPullRequest = {
  repository: HostedName
  /** The branch of the same repository that holds the changes. */
  branch: string
  base: string
  title: string
  body: string
  /** Whether one that is closed counts as the one of this branch: no other program uses a branch of that name. */
  isOwnBranch: boolean
}

/** What an account may do with a repository, as far as the code host says so. */
type HostedRepository = { defaultBranch: string; mayPush: boolean }

/**
 * The API of the code host, with the token of an account. Both verbs throw Problem `forbidden` `code_host_forbidden` for
 * what the account may not do or see, `invalid` `pull_request_refused` for what cannot be had, and `unavailable`
 * `code_host_unavailable` when there is no answer to go by, after a few tries. None of them quotes the code host.
 */
export interface CodeHost {
  repository(name: HostedName, account: CodeHostAccount): Promise<HostedRepository>
  /** The pull request of a branch: the one that is there, else a new one. A repeated call makes no second one. */
  pullRequest(wanted: WantedPullRequest, account: CodeHostAccount): Promise<PullRequest>
}
