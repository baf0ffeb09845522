import type { CommandResult } from '../../../ports/command.ts'
import type { Git } from '../../../ports/git.ts'
import type { Workspace } from '../../../ports/workspace.ts'
import { cloneFailure } from './clone-failure.ts'
import { taskFailure } from './failure.ts'
import type { Source } from './repository.ts'

const CLONE_TIMEOUT_MS = 5 * 60_000

export type Checkout = { branch: string; baseCommit: string }
type Wanted = { source: Source | undefined; branch: string; signal: AbortSignal }

/** Fills an empty workspace: a clone of the source or an empty repository, on the wanted branch. */
export const createCheckout = ({ git }: { git: Git }) => {
  const must = async (
    workspace: Workspace,
    args: readonly string[],
    signal: AbortSignal,
  ): Promise<string> => {
    const result = await workspace.git(args, signal)
    if (result.exitCode === 0) return result.stdout.trim()
    const what = `git ${args[0]} failed: ${result.stderr.trim().slice(0, 300)}`
    throw taskFailure('unavailable', 'workspace_failed', what, true)
  }

  const commitAt = async (workspace: Workspace, ref: string, signal: AbortSignal): Promise<string> => {
    const found = await workspace.git(['rev-parse', '--verify', '--quiet', `${ref}^{commit}`], signal)
    return found.exitCode === 0 ? found.stdout.trim() : ''
  }

  // Its own transport even for a path: a local clone would share object files with the source and trust its links.
  const clone = async (workspace: Workspace, source: Source, signal: AbortSignal) => {
    const options = ['--quiet', '--no-local', '--no-recurse-submodules', '--template=']
    const result: CommandResult = await git.run({
      args: ['clone', ...options, '--', source.url, '.'],
      ...{ cwd: workspace.root, home: workspace.home, transports: [source.transport] },
      ...{ timeoutMs: CLONE_TIMEOUT_MS, signal },
    })
    if (result.exitCode !== 0) throw cloneFailure(source.shown, result)
  }

  const requireBranchName = async (workspace: Workspace, branch: string, signal: AbortSignal) => {
    const fits = !branch.startsWith('-') && !branch.includes('\0') && branch.length <= 200
    if (fits && (await workspace.git(['check-ref-format', '--branch', branch], signal)).exitCode === 0) return
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
