import { taskFailure } from '../../../core/task-failure.ts'
import type { Workspace } from '../../../ports/workspace.ts'
import { orThrow, safeDiff, withoutSecrets } from './changes.ts'

const MOST_PATCH = 4 * 1_024 * 1_024
const EVERY_FILE_BINARY = '* -diff'

/** The workspace's difference to its base commit as a binary patch; undefined when it cannot be read or is too large. */
export const workspacePatch = async (
  workspace: Workspace,
  baseCommit: string,
  signal: AbortSignal,
): Promise<string | undefined> => {
  const diff = async (attributes?: string) => {
    const snapshot = await workspace.tree(baseCommit, withoutSecrets, signal)
    // A checkpoint is text: git must quote a file name that is not UTF-8, which would be lost otherwise.
    const args = ['-c', 'core.quotePath=true', ...safeDiff, '--binary', baseCommit, snapshot.tree]
    return orThrow(snapshot)(args, MOST_PATCH, attributes === undefined ? {} : { attributes })
  }
  try {
    const asText = await diff()
    // Bytes that are no UTF-8 would be lost; a binary patch has none.
    const { stdout, truncated } = asText.stdout.includes('\uFFFD') ? await diff(EVERY_FILE_BINARY) : asText
    return truncated ? undefined : stdout
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
  if (patch === undefined) throw lost('its files could not be kept')
  if (patch === '') return
  if (!(await workspace.applyPatch(baseCommit, patch, signal))) throw lost('its repository has changed')
}

const lost = (why: string) =>
  taskFailure('unavailable', 'workspace_lost', `The workspace of the waiting run is gone, and ${why}`, true)
