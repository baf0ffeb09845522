import { taskFailure } from '../../../core/task-failure.ts'
import type { ModelMessage } from '../../../ports/model.ts'
import type { LoopResult, StoppedLoop } from '../../../ports/tool.ts'
import type { Workspace } from '../../../ports/workspace.ts'
import { orThrow, safeDiff, withoutSecrets } from './changes.ts'
import type { Checkout } from './checkout.ts'
import type { UsedMemory } from './guidance.ts'

/**
 * The checkpoint of a run that waits for approval. `messages` end with the calls that have no result yet; `waiting` are
 * those of them that a person has to decide. `patch` is the workspace's
 * difference to its base commit, without credential files; absent when it is too large or could not be read.
 */
export type CodingCheckpoint = Checkout &
  Required<StoppedLoop> & {
    messages: readonly ModelMessage[]
    patch?: string
    /** The guidance that the run began with. */
    memory?: UsedMemory
  }

const MOST_PATCH = 4 * 1_024 * 1_024
const EVERY_FILE_BINARY = '* -diff'

/** The workspace's difference to its base commit as a binary patch; undefined when it cannot be read or is too large. */
const workspacePatch = async (
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

export const createCheckpoint = async (
  { messages, pending, steps, toolCalls, usage }: LoopResult,
  at: Checkout & { workspace: Workspace; memory: UsedMemory | undefined },
  signal: AbortSignal,
): Promise<CodingCheckpoint> => {
  const patch = await workspacePatch(at.workspace, at.baseCommit, signal)
  const waiting = pending.map(({ call, approvalId }) => ({ callId: call.id, approvalId }))
  const { memory } = at
  const more = { ...(patch === undefined ? {} : { patch }), ...(memory && { memory }) }
  return { ...checkoutIn(at), messages, waiting, steps, toolCalls, usage, ...more }
}

export const checkoutIn = ({ branch, baseCommit, destination }: Checkout): Checkout => ({
  branch,
  baseCommit,
  ...(destination && { destination }),
})

/** Restores the state of a run in a new checkout. Throws a failure that is retried when it cannot. */
export const restore = async (
  workspace: Workspace,
  { patch }: CodingCheckpoint,
  baseCommit: string,
  signal: AbortSignal,
): Promise<void> => {
  if (patch === undefined) throw lost('its files could not be kept')
  if (patch === '') return
  if (!(await workspace.applyPatch(baseCommit, patch, signal))) throw lost('its repository has changed')
}

const lost = (why: string) =>
  taskFailure('unavailable', 'workspace_lost', `The workspace of the waiting run is gone, and ${why}`, true)
