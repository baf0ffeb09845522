import { ownBranchOf } from '../../../core/own-pull-request.ts'
import { taskFailure } from '../../../core/task-failure.ts'
import { COMMITTER, type Credential, type Git } from '../../../ports/git.ts'
import type { Source } from '../../../ports/repositories.ts'
import type { Workspace } from '../../../ports/workspace.ts'
import { taskTrailer, trailerFormat } from './commit-message.ts'
import { accessRefused, cloneFailure, isRefusal } from './git-failures.ts'

const CLONE_TIMEOUT_MS = 5 * 60_000
/** More commits than a task leaves on its branch, which is one. */
const MOST_OWN_COMMITS = 20

/**
 * Where the changes of a clone go: the branch, and the commit that it had on the code host when it was cloned; empty where
 * it was not there. No push goes over any other commit.
 */
export type Destination = { branch: string; tip: string }
export type Checkout = { branch: string; baseCommit: string; destination?: Destination }
type Wanted = {
  taskId: string
  source: Source | undefined
  /** The branch that the task names; absent: one of its own. */
  branch: string | undefined
  credential?: Credential | undefined
  signal: AbortSignal
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** Where git clones from. It names a source of another owner safe for this clone, and serves that folder and no other. */
const fetchingFrom = (source: Source) => {
  if (source.transport === 'https') return { options: [], from: source.url, means: { host: source.host } }
  const upload = `git -c safe.directory=${quoted(source.gitDir)} upload-pack --strict`
  const means = { transports: ['file'], reads: source.reads } as const
  return { options: [`--upload-pack=${upload}`], from: source.gitDir, means }
}

/** Fills an empty workspace: a clone of the source or an empty repository, on the wanted branch. */
export const createCheckout = ({ git }: { git: Git }) => {
  const gitIn = ({ root: cwd, home, tmp }: Workspace, args: readonly string[], signal: AbortSignal) =>
    git.run({ cwd, home, tmp, args, signal })

  const must = async (
    workspace: Workspace,
    args: readonly string[],
    signal: AbortSignal,
  ): Promise<string> => {
    const result = await gitIn(workspace, args, signal)
    if (result.exitCode === 0) return result.stdout.trim()
    const what = `git ${args[0]} failed: ${result.stderr.trim().slice(0, 300)}`
    throw taskFailure('unavailable', 'workspace_failed', what, true)
  }

  const commitAt = async (workspace: Workspace, ref: string, signal: AbortSignal): Promise<string> => {
    const found = await gitIn(workspace, ['rev-parse', '--verify', '--quiet', `${ref}^{commit}`], signal)
    return found.exitCode === 0 ? found.stdout.trim() : ''
  }

  // Its own transport even for a path: a local clone would share object files with the source and trust its links.
  const cloneWith = (
    workspace: Workspace,
    source: Source,
    credential: Credential | undefined,
    signal: AbortSignal,
  ) => {
    const { options, from, means } = fetchingFrom(source)
    const always = ['--quiet', '--no-local', '--no-recurse-submodules', '--template=']
    return git.run({
      args: ['clone', ...always, ...options, '--', from, '.'],
      ...{ cwd: workspace.root, home: workspace.home, tmp: workspace.tmp, ...means, credential },
      ...{ timeoutMs: CLONE_TIMEOUT_MS, signal },
    })
  }

  const clone = async (workspace: Workspace, { source, credential, signal }: Wanted & { source: Source }) => {
    const result = await cloneWith(workspace, source, credential, signal)
    if (result.exitCode === 0) return
    if (credential === undefined || !isRefusal(result)) throw cloneFailure(source.shown, result)
    // A token that was revoked is refused for public repositories as well.
    const anonymous = await cloneWith(workspace, source, undefined, signal)
    if (anonymous.exitCode === 0) return
    throw isRefusal(anonymous) ? accessRefused(source.shown) : cloneFailure(source.shown, anonymous)
  }

  const requireBranchName = async (workspace: Workspace, branch: string, signal: AbortSignal) => {
    const fits = !branch.startsWith('-') && !branch.includes('\0') && branch.length <= 200
    if (fits && (await gitIn(workspace, ['check-ref-format', '--branch', branch], signal)).exitCode === 0)
      return
    throw taskFailure('invalid', 'branch_invalid', 'The branch is not a name that git accepts', false)
  }

  const switchTo = async (workspace: Workspace, branch: string, start: string, signal: AbortSignal) => {
    const head = start || (await commitAt(workspace, 'HEAD', signal))
    if (head) return must(workspace, ['checkout', '--quiet', '--no-track', '-B', branch, head], signal)
    // Nothing was ever committed: a diff needs a commit to start from.
    await must(workspace, ['symbolic-ref', 'HEAD', `refs/heads/${branch}`], signal)
    return must(workspace, ['commit', '--quiet', '--allow-empty', '--message=Start'], signal)
  }

  /** Whether all that a branch has beyond the default branch was committed by the service for this task. */
  const isOwn = async (workspace: Workspace, tip: string, taskId: string, signal: AbortSignal) => {
    const format = `--format=%ce ${trailerFormat}`
    const range = ['--no-merges', `--max-count=${MOST_OWN_COMMITS}`, `HEAD..${tip}`]
    const listed = await gitIn(workspace, ['log', format, ...range], signal)
    const merges = await gitIn(workspace, ['rev-list', '--merges', '--max-count=1', `HEAD..${tip}`], signal)
    const commits = listed.stdout.split('\n').filter(Boolean)
    return (
      listed.exitCode === 0 &&
      merges.exitCode === 0 &&
      merges.stdout === '' &&
      commits.length > 0 &&
      commits.length < MOST_OWN_COMMITS &&
      commits.every((line) => line === `${COMMITTER.email} ${taskTrailer(taskId).value}`)
    )
  }

  /** Where changes of a clone that was just made go. No branch of one's own leads to the default branch unseen. */
  const destinationIn = async (
    workspace: Workspace,
    { source, taskId, signal }: Wanted,
    branch: string,
  ): Promise<Destination | undefined> => {
    if (source?.transport !== 'https' || source.hosted === undefined) return undefined
    const head = await gitIn(workspace, ['symbolic-ref', '--quiet', 'refs/remotes/origin/HEAD'], signal)
    const isDefault = head.stdout.trim() === `refs/remotes/origin/${branch}`
    const goal = isDefault ? ownBranchOf(taskId) : branch
    return { branch: goal, tip: await commitAt(workspace, `refs/remotes/origin/${goal}`, signal) }
  }

  return async (workspace: Workspace, wanted: Wanted): Promise<Checkout> => {
    const { taskId, source, signal } = wanted
    const branch = wanted.branch || ownBranchOf(taskId)
    await requireBranchName(workspace, branch, signal)
    if (source) await clone(workspace, { ...wanted, source })
    else await must(workspace, ['init', '--quiet', '--template='], signal)
    const there = await commitAt(workspace, `refs/remotes/origin/${branch}`, signal)
    const destination = await destinationIn(workspace, wanted, branch)
    // What an earlier attempt pushed, whose end was never stored, is made anew and takes its place.
    const isAnew =
      there !== '' && branch === ownBranchOf(taskId) && (await isOwn(workspace, there, taskId, signal))
    await switchTo(workspace, branch, isAnew ? '' : there, signal)
    const baseCommit = await must(workspace, ['rev-parse', 'HEAD'], signal)
    return { branch, baseCommit, ...(destination && { destination }) }
  }
}
