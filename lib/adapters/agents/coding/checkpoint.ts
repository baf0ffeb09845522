import { taskFailure } from '../../../core/task-failure.ts'
import { sumOf, type TokenUsage } from '../../../core/token-usage.ts'
import type { ModelMessage } from '../../../ports/model.ts'
import type { LoopResult, WaitingCall } from '../../../ports/tool.ts'
import type { Workspace } from '../../../ports/workspace.ts'
import { withoutSecrets, workspaceGit } from './changes.ts'
import type { Checkout } from './checkout.ts'
import type { GivenMemory } from './guidance.ts'

/**
 * What a run leaves when it waits for approval. `messages` end with the calls that have no result yet; `waiting` are those
 * of them that a person is asked about, absent in checkpoints of earlier versions. `patch` is what the workspace holds beyond its base commit, credential files left out; absent where that is too much to keep.
 */
export type CodingCheckpoint = Checkout & {
  messages: readonly ModelMessage[]
  waiting?: readonly WaitingCall[]
  steps: number
  toolCalls: number
  usage: TokenUsage
  patch?: string
  /** What of memory the run began with. */
  memory?: GivenMemory
}

type Spent = Pick<CodingCheckpoint, 'steps' | 'toolCalls' | 'usage'>

/** What a run has spent, with what it had spent before it waited. */
export const spentBy = (run: Spent, before: Spent | undefined): Spent => {
  if (before === undefined) return { steps: run.steps, toolCalls: run.toolCalls, usage: run.usage }
  return {
    steps: run.steps + before.steps,
    toolCalls: run.toolCalls + before.toolCalls,
    usage: sumOf(run.usage, before.usage),
  }
}

const MOST_PATCH = 4 * 1_024 * 1_024
const PATCH_FILE = '.restore.patch'

/** The workspace beyond its base commit as a binary patch; undefined where it is larger than 4 MB. */
const patchOf = async (
  workspace: Workspace,
  baseCommit: string,
  signal: AbortSignal,
): Promise<string | undefined> => {
  const run = await workspaceGit(workspace, baseCommit, signal)
  const options = ['--binary', '--no-ext-diff', '--no-textconv', '--no-color', '--no-renames']
  const { stdout, truncated } = await run(
    ['diff', ...options, baseCommit, '--', '.', ...withoutSecrets],
    MOST_PATCH,
  )
  return truncated ? undefined : stdout
}

export const checkpointOf = async (
  { messages, pending }: LoopResult,
  spent: Spent,
  at: Checkout & { workspace: Workspace; memory: GivenMemory | undefined },
  signal: AbortSignal,
): Promise<CodingCheckpoint> => {
  const patch = await patchOf(at.workspace, at.baseCommit, signal)
  const waiting = pending.map(({ call, approvalId }) => ({ callId: call.id, approvalId }))
  const { memory } = at
  const more = { ...(patch === undefined ? {} : { patch }), ...(memory && { memory }) }
  return { ...checkoutOf(at), messages, waiting, ...spent, ...more }
}

export const checkoutOf = ({ branch, baseCommit, destination }: Checkout): Checkout => ({
  ...{ branch, baseCommit },
  ...(destination && { destination }),
})

/** Brings a workspace that was checked out anew to where the run had it. Throws a failure that is retried where it cannot. */
export const restore = async (
  workspace: Workspace,
  { patch }: CodingCheckpoint,
  baseCommit: string,
  signal: AbortSignal,
): Promise<void> => {
  if (patch === undefined) throw lost('its files were too much to keep')
  if (patch === '') return
  await workspace.write(PATCH_FILE, patch)
  const run = await workspaceGit(workspace, baseCommit, signal)
  await run(['apply', '--whitespace=nowarn', PATCH_FILE], 64 * 1_024).catch(() => {
    throw lost('its repository has changed')
  })
  await workspace.run('rm', ['-f', PATCH_FILE], signal)
}

const lost = (why: string) =>
  taskFailure('unavailable', 'workspace_lost', `The workspace of the waiting run is gone, and ${why}`, true)
