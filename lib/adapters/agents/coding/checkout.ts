import { ownBranches } from '../../../core/own-pull-request.ts'
import { taskFailure } from '../../../core/task-failure.ts'
import type { Credential, Source } from '../../../ports/repositories.ts'
import type { Workspace } from '../../../ports/workspace.ts'
import { COMMITTER, type Git } from '../../node/git.ts'
import { taskTrailer, trailerFormat } from './commit-message.ts'
import { accessRefused, cloneFailure, isRefusal, workspaceFailure } from './git-failures.ts'

const CLONE_TIMEOUT_MS = 5 * 60_000
const TIMEOUT_MS = 60_000
/** A task leaves one commit on its branch; more than this cannot be its own. */
const MOST_OWN_COMMITS = 20

/**
 * The target of a clone's changes: the branch, and its commit on the code host at the time of the clone; empty for a
 * branch that did not exist. No push replaces any other commit.
 */
export type Destination = { branch: string; tip: string }
export type Checkout = { branch: string; baseCommit: string; destination?: Destination }
type Wanted = {
  taskId: string
  source: Source | undefined
  /** The branch that the task names; its own branch when absent. */
  branch: string | undefined
  credential?: Credential | undefined
  signal: AbortSignal
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** The clone source. It marks a folder of another owner as safe for this clone only. */
const fetchingFrom = (source: Source) => {
  if (source.transport === 'https') return { options: [], from: source.url, means: { host: source.host } }
  const upload = `git -c safe.directory=${quoted(source.gitDir)} upload-pack --strict`
  const means = { transports: ['file'], reads: source.reads } as const
  return { options: [`--upload-pack=${upload}`], from: source.gitDir, means }
}

/** Fills an empty workspace, on the wanted branch: a clone of the source, or an empty repository. */
export const createCheckout = ({ git }: { git: Git }) => {
  const gitIn = ({ root: cwd, home, tmp }: Workspace, args: readonly string[], signal: AbortSignal) =>
    git.run({ cwd, home, tmp, args, timeoutMs: TIMEOUT_MS, signal })

  const must = async (
    workspace: Workspace,
    args: readonly string[],
    signal: AbortSignal,
  ): Promise<string> => {
    const result = await gitIn(workspace, args, signal)
    if (result.exitCode === 0) return result.stdout.trim()
    throw workspaceFailure(args[0] ?? '', result, TIMEOUT_MS)
  }

  const commitAt = async (workspace: Workspace, ref: string, signal: AbortSignal): Promise<string> => {
    const found = await gitIn(workspace, ['rev-parse', '--verify', '--quiet', `${ref}^{commit}`], signal)
    return found.exitCode === 0 ? found.stdout.trim() : ''
  }

  // A path is cloned by git's transport too: a local clone would share object files with the source and trust its links.
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
      cwd: workspace.root,
      home: workspace.home,
      tmp: workspace.tmp,
      ...means,
      credential,
      timeoutMs: CLONE_TIMEOUT_MS,
      signal,
    })
  }

  const clone = async (workspace: Workspace, { source, credential, signal }: Wanted & { source: Source }) => {
    const result = await cloneWith(workspace, source, credential, signal)
    if (result.exitCode === 0) return
    if (credential === undefined || !isRefusal(result))
      throw cloneFailure(source.shown, result, CLONE_TIMEOUT_MS)
    // The code host refuses a revoked token for public repositories too.
    const anonymous = await cloneWith(workspace, source, undefined, signal)
    if (anonymous.exitCode === 0) return
    throw isRefusal(anonymous)
      ? accessRefused(source.shown)
      : cloneFailure(source.shown, anonymous, CLONE_TIMEOUT_MS)
  }

  const requireBranchName = async (workspace: Workspace, branch: string, signal: AbortSignal) => {
    const fits = !branch.startsWith('-') && !branch.includes('\0') && branch.length <= 200
    if (fits && (await gitIn(workspace, ['check-ref-format', '--branch', branch], signal)).exitCode === 0)
      return
    throw taskFailure('invalid', 'branch_invalid', 'The branch is not a name that git accepts', false)
  }

  /** A branch of the clone's source beside which git cannot have the branch: `a` and `a/b` exclude each other. */
  const rivalOf = async (workspace: Workspace, branch: string, signal: AbortSignal) => {
    const parts = branch.split('/')
    const parents = parts.slice(1).map((_, at) => parts.slice(0, at + 1).join('/'))
    for (const parent of parents)
      if (await commitAt(workspace, `refs/remotes/origin/${parent}`, signal)) return parent
    const format = ['--count=1', '--format=%(refname:lstrip=3)', `refs/remotes/origin/${branch}/`]
    const below = await gitIn(workspace, ['for-each-ref', ...format], signal)
    return below.stdout.trim() || undefined
  }

  /** The branch of a task that names none: the first of its names that git can have beside the source's branches. */
  const ownBranchIn = async (workspace: Workspace, taskId: string, signal: AbortSignal) => {
    const [preferred, other] = ownBranches(taskId)
    return (await rivalOf(workspace, preferred, signal)) === undefined ? preferred : other
  }

  const requirePlace = async (workspace: Workspace, branch: string, signal: AbortSignal) => {
    const rival = await rivalOf(workspace, branch, signal)
    if (rival === undefined) return
    const what = `The repository has a branch ${rival}, and git cannot have the branch ${branch} beside it: name another`
    throw taskFailure('invalid', 'branch_invalid', what, false)
  }

  /** A clone whose HEAD leads nowhere is empty, though its source has branches. */
  const requireHead = async (workspace: Workspace, source: Source | undefined, signal: AbortSignal) => {
    if (source === undefined || (await commitAt(workspace, 'HEAD', signal))) return
    const listed = await gitIn(workspace, ['for-each-ref', '--count=1', 'refs/remotes/origin/'], signal)
    if (listed.stdout === '') return
    const what = `Cloning ${source.shown} failed: its default branch does not exist: name one of its branches`
    throw taskFailure('invalid', 'clone_failed', what, false)
  }

  const switchTo = async (workspace: Workspace, branch: string, start: string, signal: AbortSignal) => {
    const head = start || (await commitAt(workspace, 'HEAD', signal))
    if (head) return must(workspace, ['checkout', '--quiet', '--no-track', '-B', branch, head], signal)
    // A repository without commits gets one, as the base of diffs.
    await must(workspace, ['symbolic-ref', 'HEAD', `refs/heads/${branch}`], signal)
    return must(workspace, ['commit', '--quiet', '--allow-empty', '--message=Start'], signal)
  }

  /** Whether the service committed for this task all that a branch has beyond the default branch. */
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

  /** The target of a new clone's changes. A branch of the agent never leads to the default branch unnoticed. */
  const destinationIn = async (
    workspace: Workspace,
    { source, taskId, signal }: Wanted,
    branch: string,
  ): Promise<Destination | undefined> => {
    if (source?.transport !== 'https' || source.hosted === undefined) return undefined
    const head = await gitIn(workspace, ['symbolic-ref', '--quiet', 'refs/remotes/origin/HEAD'], signal)
    const isDefault = head.stdout.trim() === `refs/remotes/origin/${branch}`
    const goal = isDefault ? await ownBranchIn(workspace, taskId, signal) : branch
    return { branch: goal, tip: await commitAt(workspace, `refs/remotes/origin/${goal}`, signal) }
  }

  return async (workspace: Workspace, wanted: Wanted): Promise<Checkout> => {
    const { taskId, source, signal } = wanted
    await requireBranchName(workspace, wanted.branch || ownBranches(taskId)[0], signal)
    if (source) await clone(workspace, { ...wanted, source })
    else await must(workspace, ['init', '--quiet', '--template='], signal)
    if (wanted.branch) await requirePlace(workspace, wanted.branch, signal)
    else await requireHead(workspace, source, signal)
    const branch = wanted.branch || (await ownBranchIn(workspace, taskId, signal))
    const there = await commitAt(workspace, `refs/remotes/origin/${branch}`, signal)
    const destination = await destinationIn(workspace, wanted, branch)
    // Replaces the push of an earlier attempt whose end was never stored.
    const isAnew =
      there !== '' && ownBranches(taskId).includes(branch) && (await isOwn(workspace, there, taskId, signal))
    await switchTo(workspace, branch, isAnew ? '' : there, signal)
    const baseCommit = await must(workspace, ['rev-parse', 'HEAD'], signal)
    await workspace.keepObjects()
    return { branch, baseCommit, ...(destination && { destination }) }
  }
}
