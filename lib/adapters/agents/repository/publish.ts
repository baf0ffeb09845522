import { cutText } from '../../../core/cut-text.ts'
import { definedFields } from '../../../core/defined-fields.ts'
import { errorMessage, Problem } from '../../../core/errors.ts'
import { ownBranches } from '../../../core/own-pull-request.ts'
import { secretSegment } from '../../../core/secret-path.ts'
import type { AgentContext, AgentTask } from '../../../ports/agent.ts'
import type { AccountFor, CodeHost, CodeHostAccount, PullRequest } from '../../../ports/code-host.ts'
import type { Credential, RemoteSource, Source } from '../../../ports/repositories.ts'
import type { OwnGit, Workspace, WorkspaceTree } from '../../../ports/workspace.ts'
import { type FileChange, orThrow, safeDiff, withoutSecrets } from './changes.ts'
import type { Checkout, Destination } from './checkout.ts'
import { pushFailure } from './git-failures.ts'
import { commitMessage, publicTitle, pullRequestBody } from './publication-texts.ts'

export type Publication = {
  accountFor: AccountFor
  codeHost: CodeHost
  /** Whether pull requests are wanted; read for each run, since it is a setting. */
  isWanted: () => boolean
  mask: (text: string) => string
}

/** The place of a run's published changes, or the reason why there is none. */
type Published = {
  status: 'published' | 'failed'
  branch: string
  pullRequest?: PullRequest
  /** Where the code host compares a branch that was pushed, of which no pull request was made. */
  compareUrl?: string
  error?: { code: string; message: string }
}

type Run = {
  task: AgentTask
  workspace: Workspace
  at: Checkout
  output: string
  filesChanged: readonly FileChange[]
  /** Checked again: names may resolve differently after the agent's work. */
  readSource: () => Promise<Source | undefined>
  /** Called with the commit once the branch on the code host has it. */
  onPushed: (commit: string) => Promise<void>
  context: Pick<AgentContext, 'signal' | 'progress' | 'keepSecret'>
}

type Hosted = RemoteSource & { hosted: NonNullable<RemoteSource['hosted']> }
/** A run whose changes have a target. */
type Publishing = Run & { source: Hosted; destination: Destination; account: CodeHostAccount; base: string }

const PUSH_TIMEOUT_MS = 2 * 60_000
const MOST_OUTPUT = 64 * 1_024
/** The most bytes of changed lines, which are searched for secrets. */
const MOST_ADDED = 8 * 1_024 * 1_024
const MOST_PUSHED = 100 * 1_024 * 1_024
const PUSHES = 2

/** A token of GitHub works with any user name; this is the name for an app's token. */
export const gitCredential = ({ token }: CodeHostAccount): Credential => ({
  username: 'x-access-token',
  password: token,
})

/**
 * Commits a run's changes, pushes them to the task's branch and opens a pull request, all with a git directory of the
 * service. Undefined when that is not wanted, or when no account with write access is linked. A failed publication is
 * reported and does not fail the run; it rejects when the run is stopped.
 */
export const createPublish = (needs: Publication) => {
  const { accountFor, codeHost, isWanted, mask } = needs

  const writingAccount = async ({ task, context }: Run): Promise<CodeHostAccount | undefined> => {
    const account = await accountFor(task.createdBy)
    if (account === undefined) return undefined
    context.keepSecret(account.token)
    const { scopes } = account
    const isReader = scopes.length > 0 && !scopes.some((scope) => ['repo', 'public_repo'].includes(scope))
    return isReader ? undefined : account
  }

  const publishing = async (run: Run, destination: Destination): Promise<Publishing | undefined> => {
    const account = await writingAccount(run)
    if (account === undefined) return undefined
    const source = await run.readSource()
    if (!isHosted(source)) return undefined
    const { mayPush, defaultBranch: base } = await codeHost.repository(source.hosted, account)
    return mayPush ? { ...run, source, destination, account, base } : undefined
  }

  const publish = async (run: Publishing, pushed: () => void): Promise<PullRequest | undefined> => {
    const { task, output, filesChanged, destination, context } = run
    const { signal, progress } = context
    const title = publicTitle({ id: task.id, title: mask(task.title) })
    const snapshot = await run.workspace.tree(run.at.baseCommit, withoutSecrets, signal)
    const commit = await commitChanges(snapshot, run, title, mask)
    if (commit === undefined) return undefined
    progress(`Pushing to ${destination.branch}`)
    await push(snapshot.git, run, commit)
    pushed()
    await snapshot.keep()
    await run.onPushed(commit)
    signal.throwIfAborted()
    const credentials = filesChanged
      .map(({ path }) => path)
      .filter((path) => secretSegment(path) !== undefined)
    const leftOut = snapshot.leftOut.map(({ path }) => path)
    const fields = {
      repository: run.source.hosted,
      branch: destination.branch,
      base: run.base,
      isOwnBranch: ownBranches(task.threadId ?? task.id).includes(destination.branch),
      title,
      body: pullRequestBody({
        task,
        output: mask(output),
        credentials: credentials.map(mask),
        leftOut: leftOut.map(mask),
      }),
    }
    const pullRequest = await codeHost.pullRequest(fields, run.account)
    progress(cutText(`Pull request ${pullRequest.number}: ${pullRequest.url}`, 2_000))
    return pullRequest
  }

  return async (run: Run): Promise<Published | undefined> => {
    const { at, filesChanged, context } = run
    const { destination } = at
    if (!isWanted() || filesChanged.length === 0 || destination === undefined) return undefined
    const { branch } = destination
    let compareUrl: string | undefined
    try {
      const ready = await publishing(run, destination)
      const pushed = () => {
        compareUrl = ready && comparePage(ready)
      }
      const pullRequest = ready && (await publish(ready, pushed))
      return pullRequest && { status: 'published', branch, pullRequest }
    } catch (thrown) {
      context.signal.throwIfAborted()
      const error = publishError(thrown, mask)
      context.progress(`The changes were not published: ${error.message}`)
      return { status: 'failed', branch, ...definedFields({ compareUrl }), error }
    }
  }
}

const isHosted = (source: Source | undefined): source is Hosted =>
  source?.transport === 'https' && source.hosted !== undefined

const inPath = (branch: string) => branch.split('/').map(encodeURIComponent).join('/')

/** GitHub's page that compares a branch with its base, from which a person makes a pull request. */
const comparePage = ({ source, base, destination }: Publishing): string =>
  `${source.url.replace(/\.git$/, '')}/compare/${inPath(base)}...${inPath(destination.branch)}?expand=1`

const publishError = (thrown: unknown, mask: (text: string) => string) => ({
  code: thrown instanceof Problem ? thrown.code : 'publish_failed',
  message: errorMessage(thrown, 500, mask),
})

type GitOrThrow = ReturnType<typeof orThrow>

/** Commits all changes except credential files; undefined when none is left. */
const commitChanges = async (
  snapshot: WorkspaceTree,
  { task, at }: Publishing,
  title: string,
  mask: (text: string) => string,
): Promise<string | undefined> => {
  const { baseCommit } = at
  const { tree } = snapshot
  const git = orThrow(snapshot)
  const before = (await git(['rev-parse', `${baseCommit}^{tree}`], MOST_OUTPUT)).stdout.trim()
  if (tree === before) return undefined
  await refuseSecrets(git, [baseCommit, tree], mask)
  const message = commitMessage(title, task.id)
  const committed = await git(['commit-tree', '-p', baseCommit, '-m', message, tree], MOST_OUTPUT)
  const commit = committed.stdout.trim()
  await refuseTooMuch(git, commit, baseCommit)
  return commit
}

/** Refuses changes with a configured secret, and those too large to search: publication cannot be undone. */
const refuseSecrets = async (git: GitOrThrow, trees: readonly string[], mask: (text: string) => string) => {
  const diff = [...safeDiff, '--unified=0', '--text', '--diff-filter=d', ...trees]
  const { stdout, truncated } = await git(diff, MOST_ADDED)
  if (truncated) throw tooLarge(MOST_ADDED, 'lines')
  // Without the signs, so that secrets of several lines are found; the header names files without lines.
  const added = stdout
    .split('\n')
    .flatMap((line) => (line.startsWith('+') ? line.slice(1) : line.startsWith('diff --git ') ? line : []))
    .join('\n')
  if (mask(added) === added) return
  throw new Problem(
    'forbidden',
    'secret_in_changes',
    'The changes were not pushed because they contain a secret of this service. Check the diff, and rotate that secret',
  )
}

const refuseTooMuch = async (git: GitOrThrow, commit: string, baseCommit: string) => {
  const diskUsage = await git(
    ['rev-list', '--objects', '--disk-usage', commit, `^${baseCommit}`],
    MOST_OUTPUT,
  )
  if (Number(diskUsage.stdout.trim()) > MOST_PUSHED) throw tooLarge(MOST_PUSHED, 'objects')
}

const tooLarge = (most: number, what: 'lines' | 'objects') =>
  new Problem(
    'too_large',
    'changes_too_large',
    `The changes were not pushed because they have more than ${most / 1_024 / 1_024} MiB of ${what}. Leave out large files`,
  )

/** Moves the branch on the code host, if it still has the commit of the clone. */
const push = async (git: OwnGit, { source, destination, account }: Publishing, commit: string) => {
  const { branch, tip } = destination
  const ref = `refs/heads/${branch}`
  const to = { host: source.host, credential: gitCredential(account), timeoutMs: PUSH_TIMEOUT_MS }
  const args = ['push', '--quiet', '--no-verify', `--force-with-lease=${ref}:${tip}`]
  for (let pushes = 1; ; pushes++) {
    const result = await git([...args, source.url, `${commit}:${ref}`], MOST_OUTPUT, to)
    if (result.exitCode === 0) return
    // The answer to a successful push may be lost.
    const listed = await git(['ls-remote', source.url, ref], MOST_OUTPUT, to)
    if (listed.exitCode === 0 && listed.stdout.split('\t')[0] === commit) return
    const failure = pushFailure(source.hosted, branch, result)
    if (failure.kind !== 'unavailable' || pushes === PUSHES) throw failure
  }
}
