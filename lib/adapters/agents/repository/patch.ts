import { taskFailure } from '../../../core/task-failure.ts'
import type { Workspace, WorkspaceTree } from '../../../ports/workspace.ts'
import { orThrow, safeDiff, withoutSecrets } from './changes.ts'

const MOST_PATCH = 4 * 1_024 * 1_024
const EVERY_FILE_BINARY = '* -diff'

/** The difference of the files of a workspace to a commit as a binary patch, without credential files; undefined when it cannot be read or is too large. */
export const treePatch = async (
  snapshot: WorkspaceTree,
  baseCommit: string,
  signal: AbortSignal,
): Promise<string | undefined> => {
  const git = orThrow(snapshot)
  // A checkpoint is text: git must quote a file name that is not UTF-8, which would be lost otherwise.
  const args = ['-c', 'core.quotePath=true', ...safeDiff, '--binary', baseCommit, snapshot.tree]
  const diff = (attributes: { attributes?: string } = {}) =>
    git([...args, '--', '.', ...withoutSecrets], MOST_PATCH, attributes)
  try {
    const asText = await diff()
    // Bytes that are no UTF-8 would be lost; a binary patch has none.
    const isText = !asText.stdout.includes('\uFFFD')
    const { stdout, truncated } = isText ? asText : await diff({ attributes: EVERY_FILE_BINARY })
    return truncated ? undefined : stdout
  } catch {
    signal.throwIfAborted()
    return undefined
  }
}

/** As `treePatch`, of the files as they are now. */
export const workspacePatch = async (
  workspace: Workspace,
  baseCommit: string,
  signal: AbortSignal,
): Promise<string | undefined> => {
  try {
    return await treePatch(await workspace.tree(baseCommit, [], signal), baseCommit, signal)
  } catch {
    signal.throwIfAborted()
    return undefined
  }
}

/** Applies the patch of a run to a new checkout. Throws a failure that is retried when it cannot. */
export const restorePatch = async (
  workspace: Workspace,
  patch: string | undefined,
  baseCommit: string,
  signal: AbortSignal,
): Promise<void> => {
  if (patch === undefined) throw lost('its files could not be stored')
  if (patch === '') return
  if (!(await workspace.applyPatch(baseCommit, patch, signal))) throw lost('its repository has changed')
}

const lost = (why: string) =>
  taskFailure(
    'unavailable',
    'workspace_lost',
    `The workspace of the waiting run no longer exists, and ${why}`,
    true,
  )
