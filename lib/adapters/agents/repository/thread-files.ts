import { taskFailure } from '../../../core/task-failure.ts'
import type { Credential, Source } from '../../../ports/repositories.ts'
import type { Workspace, WorkspaceTree } from '../../../ports/workspace.ts'
import { orThrow } from './changes.ts'
import type { Checkout, Destination } from './checkout.ts'
import { cloneFailure, isRefusal } from './git-failures.ts'

/**
 * Where the work of a thread stands: the branch and the commit that its files are pushed onto, the commit with the files
 * of this turn's beginning, and the one of the first turn's.
 */
export type Position = { at: Checkout; start: string; threadBase: string; notes: readonly string[] }

/** What a run leaves of its files for the next turn. `patch` is their difference to the commit of `at`. */
export type FilesLeft = Pick<Position, 'at' | 'threadBase'> & { patch?: string }

/** The source of a task, and its clone into an empty workspace. */
export type Clone = {
  source: Source | undefined
  credential: Credential | undefined
  signal: AbortSignal
  into: (workspace: Workspace, branch?: string) => Promise<Checkout>
}

type Earlier = { existing: Position | undefined; left: FilesLeft | undefined }

const FETCH_TIMEOUT_MS = 2 * 60_000
const MOST_OUTPUT = 1_024 * 1_024
const MOST_NAMED = 50
const NEW = 'The files of earlier turns are no longer stored, so this turn starts with a new checkout'
const CLOSED = 'The files of earlier turns are no longer stored, and no branch or diff matches the repository'

/**
 * The files for a later turn of a thread, in this order of what there is: its workspace, the branch that was pushed, the
 * stored diff. `notes` say which one, and what others have pushed to the branch since.
 */
export const goOn = async (
  workspace: Workspace,
  clone: Clone,
  { existing, left }: Earlier,
): Promise<Position> => {
  if (existing) return upToDate(workspace, clone, existing, 'Continuing in the workspace of the last turn')
  if (left === undefined) {
    const at = await clone.into(workspace)
    return { at, start: at.baseCommit, threadBase: at.baseCommit, notes: [NEW] }
  }
  const branch = left.at.destination?.branch ?? left.at.branch
  const at = await clone.into(workspace, branch)
  if (at.destination?.tip) {
    const note = `The workspace no longer exists, so this turn continues from the branch ${branch}`
    const threadBase = await knownCommit(workspace, at, left.threadBase, clone)
    return { at, start: at.baseCommit, threadBase, notes: [note] }
  }
  const position = await restored(workspace, clone, at, left)
  return upToDate(
    workspace,
    clone,
    position,
    'The workspace no longer exists, so this turn continues from the stored diff',
  )
}

/** A commit that the clone has, else the one that it is at. */
const knownCommit = async (workspace: Workspace, at: Checkout, commit: string, { signal }: Clone) => {
  const { git } = await workspace.tree(at.baseCommit, [], signal)
  const found = await git(['cat-file', '-e', `${commit}^{commit}`], MOST_OUTPUT)
  return found.exitCode === 0 ? commit : at.baseCommit
}

/** The files of a new clone with the stored diff, which fits the commit that it was made on. */
const restored = async (
  workspace: Workspace,
  clone: Clone,
  at: Checkout,
  { at: { baseCommit }, threadBase, patch }: FilesLeft,
): Promise<Position> => {
  const base = await knownCommit(workspace, at, baseCommit, clone)
  if (base !== at.baseCommit) await moveFiles(workspace, at.baseCommit, base, clone.signal)
  const fits =
    patch !== undefined && (patch === '' || (await workspace.applyPatch(base, patch, clone.signal)))
  if (!fits) throw taskFailure('invalid', 'thread_closed', CLOSED, false)
  const knownBase = await knownCommit(workspace, { ...at, baseCommit: base }, threadBase, clone)
  return { at: { ...at, baseCommit: base }, start: base, threadBase: knownBase, notes: [] }
}

/** Changes the files from one commit to another, and keeps what git does not track. */
const moveFiles = async (workspace: Workspace, from: string, to: string, signal: AbortSignal) => {
  const snapshot = await workspace.tree(from, [], signal)
  await orThrow(snapshot)(['read-tree', '-m', '-u', snapshot.tree, `${to}^{tree}`], MOST_OUTPUT)
}

/** Sets the files of an interrupted attempt to those of the turn's beginning. */
export const resetFiles = (
  { workspace, at, start }: { workspace: Workspace } & Position,
  signal: AbortSignal,
): Promise<void> => moveFiles(workspace, at.baseCommit, start, signal)

/** A position for the next turn: a commit of the files as they are, merged with what the branch on the code host has. */
const upToDate = async (
  workspace: Workspace,
  clone: Clone,
  { at, threadBase }: Position,
  note: string,
): Promise<Position> => {
  const snapshot = await workspace.tree(at.baseCommit, [], clone.signal)
  const start = await commitTree(snapshot, snapshot.tree, at.baseCommit)
  const moved = await remoteTip(snapshot, clone, at.destination)
  if (moved === undefined) {
    await snapshot.keep()
    return { at, start, threadBase, notes: [note] }
  }
  if (moved.tip === '') {
    await snapshot.keep()
    const gone = `The branch ${moved.branch} no longer exists on GitHub. Its changes are in the files`
    return { at: { ...at, destination: moved }, start, threadBase, notes: [note, gone] }
  }
  const merged = await merge(snapshot, start, moved)
  await snapshot.keep()
  const notes = [note, mergeNote(moved.branch, merged.conflicts)]
  return { at: { ...at, baseCommit: moved.tip, destination: moved }, start: merged.commit, threadBase, notes }
}

const commitTree = async (snapshot: WorkspaceTree, tree: string, parent: string): Promise<string> => {
  const args = ['commit-tree', '-p', parent, '-m', 'The work of the earlier turns', tree]
  return (await orThrow(snapshot)(args, MOST_OUTPUT)).stdout.trim()
}

/** The branch on the code host, fetched, when it has moved since this service saw it; its tip is empty when it is gone. */
const remoteTip = async (
  { git }: WorkspaceTree,
  { source, credential }: Clone,
  destination: Destination | undefined,
): Promise<Destination | undefined> => {
  if (destination === undefined || source?.transport !== 'https') return undefined
  const { branch, tip: knownTip } = destination
  const ref = `refs/heads/${branch}`
  const ask = async (args: readonly string[]) => {
    const to = { host: source.host, timeoutMs: FETCH_TIMEOUT_MS }
    const result = await git(args, MOST_OUTPUT, { ...to, credential })
    if (result.exitCode === 0) return result.stdout
    // The code host refuses a revoked token for public repositories too.
    const anonymous =
      credential !== undefined && isRefusal(result) ? await git(args, MOST_OUTPUT, to) : result
    if (anonymous.exitCode === 0) return anonymous.stdout
    throw cloneFailure(source.shown, anonymous, FETCH_TIMEOUT_MS)
  }
  const tip = (await ask(['ls-remote', source.url, ref])).split('\t')[0]?.trim() ?? ''
  if (tip === knownTip) return undefined
  if (tip === '') return { branch, tip }
  await ask(['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', source.url, ref])
  return { branch, tip }
}

/** Merges a commit into the files. Of a conflict both versions stay in the file, between markers; git keeps no state of it. */
const merge = async (snapshot: WorkspaceTree, ours: string, { tip }: Destination) => {
  const args = ['merge-tree', '--write-tree', '--allow-unrelated-histories', '--name-only', '-z', ours, tip]
  const result = await snapshot.git(args, MOST_OUTPUT)
  // 1 says that there are conflicts.
  if (result.exitCode !== 0 && result.exitCode !== 1)
    throw taskFailure('unavailable', 'workspace_failed', 'The commits of others could not be merged', true)
  const [tree = '', ...rest] = result.stdout.split('\0')
  const conflicts = result.exitCode === 0 ? [] : rest.slice(0, Math.max(0, rest.indexOf('')))
  await orThrow(snapshot)(['read-tree', '-m', '-u', snapshot.tree, tree.trim()], MOST_OUTPUT)
  return { commit: await commitTree(snapshot, tree.trim(), tip), conflicts }
}

const mergeNote = (branch: string, conflicts: readonly string[]): string => {
  const merged = `Commits pushed to ${branch} since the last turn were merged into the files`
  if (conflicts.length === 0) return merged
  const named = conflicts.slice(0, MOST_NAMED).join(', ')
  const more = conflicts.length > MOST_NAMED ? ` and ${conflicts.length - MOST_NAMED} more` : ''
  return `${merged}, with conflicts in ${named}${more}: both versions are kept between conflict markers. Resolve these first, and keep the changes of the others`
}
