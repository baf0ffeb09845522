import { taskFailure } from '../../../core/task-failure.ts'
import type { Git } from '../../../ports/git.ts'
import type { Source } from '../../../ports/repositories.ts'
import type { Workspace } from '../../../ports/workspace.ts'
import { cloneFailure } from './clone-failure.ts'

const CLONE_TIMEOUT_MS = 5 * 60_000

export type Checkout = { branch: string; baseCommit: string }
type Wanted = { source: Source | undefined; branch: string; signal: AbortSignal }

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
  const clone = async (workspace: Workspace, source: Source, signal: AbortSignal) => {
    const { options, from, means } = fetchingFrom(source)
    const always = ['--quiet', '--no-local', '--no-recurse-submodules', '--template=']
    const result = await git.run({
      args: ['clone', ...always, ...options, '--', from, '.'],
      ...{ cwd: workspace.root, home: workspace.home, tmp: workspace.tmp, ...means },
      ...{ timeoutMs: CLONE_TIMEOUT_MS, signal },
    })
    if (result.exitCode !== 0) throw cloneFailure(source.shown, result)
  }

  const requireBranchName = async (workspace: Workspace, branch: string, signal: AbortSignal) => {
    const fits = !branch.startsWith('-') && !branch.includes('\0') && branch.length <= 200
    if (fits && (await gitIn(workspace, ['check-ref-format', '--branch', branch], signal)).exitCode === 0)
      return
    throw taskFailure('invalid', 'branch_invalid', 'The branch is not a name that git accepts', false)
  }

  const switchTo = async (workspace: Workspace, branch: string, signal: AbortSignal) => {
    const start = await commitAt(workspace, `refs/remotes/origin/${branch}`, signal)
    const head = start || (await commitAt(workspace, 'HEAD', signal))
    if (head) return must(workspace, ['checkout', '--quiet', '--no-track', '-B', branch, head], signal)
    // Nothing was ever committed: a diff needs a commit to start from.
    await must(workspace, ['symbolic-ref', 'HEAD', `refs/heads/${branch}`], signal)
    return must(workspace, ['commit', '--quiet', '--allow-empty', '--message=Start'], signal)
  }

  return async (workspace: Workspace, { source, branch, signal }: Wanted): Promise<Checkout> => {
    await requireBranchName(workspace, branch, signal)
    if (source) await clone(workspace, source, signal)
    else await must(workspace, ['init', '--quiet', '--template='], signal)
    await switchTo(workspace, branch, signal)
    return { branch, baseCommit: await must(workspace, ['rev-parse', 'HEAD'], signal) }
  }
}
