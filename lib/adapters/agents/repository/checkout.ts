import { ownBranches } from '../../../core/own-pull-request.ts'
import { taskFailure } from '../../../core/task-failure.ts'
import type { Credential, Source } from '../../../ports/repositories.ts'
import type { Workspace } from '../../../ports/workspace.ts'
import { COMMITTER, type Git } from '../../node/git.ts'
import { accessRefused, cloneFailure, isRefusal, workspaceFailure } from './git-failures.ts'
import { trailerFormat } from './publication-texts.ts'

const CLONE_TIMEOUT_MS = 5 * 60_000
const TIMEOUT_MS = 60_000
/** A task leaves one commit on its branch; more than this cannot be its own. */
const MOST_OWN_COMMITS = 20

/** The branch for a clone's changes, and its commit at the clone, or '' for a new branch: no push replaces any other. */
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

const shellQuoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** The clone source. It marks a folder of another owner as safe for this clone only. */
const fetchingFrom = (source: Source) => {
  if (source.transport === 'https') return { options: [], from: source.url, means: { host: source.host } }
  const upload = `git -c safe.directory=${shellQuoted(source.gitDir)} upload-pack --strict`
  const means = { transports: ['file'], reads: source.reads } as const
  return { options: [`--upload-pack=${upload}`], from: source.gitDir, means }
}

const gitIn = (git: Git, { root: cwd, home, tmp }: Workspace, signal: AbortSignal) => {
  const run = (args: readonly string[], more: Partial<Parameters<Git['run']>[0]> = {}) =>
    git.run({ cwd, home, tmp, args, timeoutMs: TIMEOUT_MS, signal, ...more })

  const must = async (args: readonly string[]): Promise<string> => {
    const result = await run(args)
    if (result.exitCode === 0) return result.stdout.trim()
    throw workspaceFailure(args[0] ?? '', result, TIMEOUT_MS)
  }

  /** The commit that a name leads to; empty for none. */
  const commitAt = async (ref: string): Promise<string> => {
    const parsed = await run(['rev-parse', '--verify', '--quiet', `${ref}^{commit}`])
    return parsed.exitCode === 0 ? parsed.stdout.trim() : ''
  }

  return { run, must, commitAt, branchTip: (branch: string) => commitAt(`refs/remotes/origin/${branch}`) }
}
type Repository = ReturnType<typeof gitIn>

// A path is cloned by git's transport too: a local clone would share object files with the source and trust its links.
const cloneWith = ({ run }: Repository, source: Source, credential: Credential | undefined) => {
  const { options, from, means } = fetchingFrom(source)
  const always = ['--quiet', '--no-local', '--no-recurse-submodules', '--template=']
  const args = ['clone', ...always, ...options, '--', from, '.']
  return run(args, { ...means, credential, timeoutMs: CLONE_TIMEOUT_MS })
}

const clone = async (repository: Repository, source: Source, credential: Credential | undefined) => {
  const result = await cloneWith(repository, source, credential)
  if (result.exitCode === 0) return
  if (credential === undefined || !isRefusal(result))
    throw cloneFailure(source.shown, result, CLONE_TIMEOUT_MS)
  // The code host refuses a revoked token for public repositories too.
  const anonymous = await cloneWith(repository, source, undefined)
  if (anonymous.exitCode === 0) return
  if (isRefusal(anonymous)) throw accessRefused(source.shown)
  throw cloneFailure(source.shown, anonymous, CLONE_TIMEOUT_MS)
}

const invalidBranch = (why: string) => taskFailure('invalid', 'branch_invalid', why, false)

const requireBranchName = async ({ run }: Repository, branch: string) => {
  const fits = !branch.startsWith('-') && !branch.includes('\0') && branch.length <= 200
  if (!fits || (await run(['check-ref-format', '--branch', branch])).exitCode !== 0)
    throw invalidBranch('The branch name is not valid in git')
}

/** A branch of the clone's source beside which git cannot have the branch: `a` and `a/b` exclude each other. */
const rivalBranch = async ({ run, branchTip }: Repository, branch: string): Promise<string | undefined> => {
  const parts = branch.split('/')
  for (let length = 1; length < parts.length; length += 1) {
    const parent = parts.slice(0, length).join('/')
    if (await branchTip(parent)) return parent
  }
  const format = ['--count=1', '--format=%(refname:lstrip=3)', `refs/remotes/origin/${branch}/`]
  return (await run(['for-each-ref', ...format])).stdout.trim() || undefined
}

/** The branch of a task that names none: the first of its names that git can have beside the source's branches. */
const freeOwnBranch = async (repository: Repository, taskId: string) => {
  const [preferred, other] = ownBranches(taskId)
  return (await rivalBranch(repository, preferred)) === undefined ? preferred : other
}

const requirePlace = async (repository: Repository, branch: string) => {
  const rival = await rivalBranch(repository, branch)
  if (rival !== undefined)
    throw invalidBranch(
      `The repository has a branch ${rival}, so git cannot create the branch ${branch}. Choose another name`,
    )
}

/** A clone whose HEAD leads nowhere is empty, though its source has branches. */
const requireHead = async ({ run, commitAt }: Repository, source: Source) => {
  if (await commitAt('HEAD')) return
  if ((await run(['for-each-ref', '--count=1', 'refs/remotes/origin/'])).stdout === '') return
  const what = `Cloning ${source.shown} failed: its default branch does not exist. Choose one of its branches`
  throw taskFailure('invalid', 'clone_failed', what, false)
}

const switchTo = async ({ must, commitAt }: Repository, branch: string, start: string) => {
  const head = start || (await commitAt('HEAD'))
  if (head) return must(['checkout', '--quiet', '--no-track', '-B', branch, head])
  await must(['symbolic-ref', 'HEAD', `refs/heads/${branch}`])
  return commitStart(must)
}

/** A repository without commits gets one, as the base of diffs. */
const commitStart = (must: Repository['must']) =>
  must(['commit', '--quiet', '--allow-empty', '--message=Start'])

/** Whether the service committed for this task all that a branch has beyond the default branch. */
const isOwn = async ({ run }: Repository, tip: string, taskId: string) => {
  const range = `HEAD..${tip}`
  const limit = `--max-count=${MOST_OWN_COMMITS}`
  const listed = await run(['log', `--format=%ce ${trailerFormat}`, '--no-merges', limit, range])
  const merges = await run(['rev-list', '--merges', '--max-count=1', range])
  const commits = listed.stdout.split('\n').filter(Boolean)
  return (
    listed.exitCode === 0 &&
    merges.exitCode === 0 &&
    merges.stdout === '' &&
    commits.length > 0 &&
    commits.length < MOST_OWN_COMMITS &&
    commits.every((line) => line === `${COMMITTER.email} ${taskId}`)
  )
}

/** The target of a new clone's changes. A branch of the agent never leads to the default branch unnoticed. */
const findDestination = async (
  repository: Repository,
  { source, taskId }: Wanted,
  branch: string,
): Promise<Destination | undefined> => {
  if (source?.transport !== 'https' || source.hosted === undefined) return undefined
  const head = await repository.run(['symbolic-ref', '--quiet', 'refs/remotes/origin/HEAD'])
  const isDefault = head.stdout.trim() === `refs/remotes/origin/${branch}`
  const goal = isDefault ? await freeOwnBranch(repository, taskId) : branch
  return { branch: goal, tip: await repository.branchTip(goal) }
}

/** A repository without a source has no branches that a new one could get in the way of. */
const createEmpty = async ({ must }: Repository, branch: string): Promise<Pick<Checkout, 'branch'>> => {
  await must(['init', '--quiet', '--template=', `--initial-branch=${branch}`])
  await commitStart(must)
  return { branch }
}

/** A clone of the source, on the wanted branch. */
const checkOutClone = async (
  repository: Repository,
  source: Source,
  wanted: Wanted,
): Promise<Pick<Checkout, 'branch' | 'destination'>> => {
  const { taskId } = wanted
  await clone(repository, source, wanted.credential)
  if (wanted.branch) await requirePlace(repository, wanted.branch)
  else await requireHead(repository, source)
  const branch = wanted.branch || (await freeOwnBranch(repository, taskId))
  const tip = await repository.branchTip(branch)
  const destination = await findDestination(repository, wanted, branch)
  // Replaces the push of an earlier attempt whose end was never stored.
  const isRepeat =
    tip !== '' && ownBranches(taskId).includes(branch) && (await isOwn(repository, tip, taskId))
  await switchTo(repository, branch, isRepeat ? '' : tip)
  return { branch, ...(destination && { destination }) }
}

/** Fills an empty workspace, on the wanted branch: a clone of the source, or an empty repository. */
export const createCheckout =
  ({ git }: { git: Git }) =>
  async (workspace: Workspace, wanted: Wanted): Promise<Checkout> => {
    const { taskId, source, signal } = wanted
    const repository = gitIn(git, workspace, signal)
    const [own] = ownBranches(taskId)
    if (wanted.branch) await requireBranchName(repository, wanted.branch)
    const at = source
      ? await checkOutClone(repository, source, wanted)
      : await createEmpty(repository, wanted.branch || own)
    const baseCommit = await repository.must(['rev-parse', 'HEAD'])
    await workspace.keepObjects()
    return { ...at, baseCommit }
  }
