import { taskFailure } from '../../../core/task-failure.ts'
import { sumOf, type TokenUsage } from '../../../core/token-usage.ts'
import type { ModelMessage } from '../../../ports/model.ts'
import type { LoopResult, WaitingCall } from '../../../ports/tool.ts'
import type { Workspace } from '../../../ports/workspace.ts'
import { withoutSecrets, workspaceGit } from './changes.ts'
import type { Checkout } from './checkout.ts'
import type { GivenMemory } from './guidance.ts'

/**
 * The checkpoint of a run that waits for approval. `messages` end with the calls that have no result yet; `waiting` are
 * those of them that a person has to decide, absent in checkpoints of earlier versions. `patch` is the workspace's
 * difference to its base commit, without credential files; absent when it is too large.
 */
export type CodingCheckpoint = Checkout & {
  messages: readonly ModelMessage[]
  waiting?: readonly WaitingCall[]
  steps: number
  toolCalls: number
  usage: TokenUsage
  patch?: string
  /** The guidance that the run began with. */
  memory?: GivenMemory
}

type Spent = Pick<CodingCheckpoint, 'steps' | 'toolCalls' | 'usage'>

/** The usage of a run, with that of its parts before it waited. */
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

/** The workspace's difference to its base commit as a binary patch; undefined when it is larger than 4 MB. */
const patchOf = async (
  workspace: Workspace,
  baseCommit: string,
  signal: AbortSignal,
): Promise<string | undefined> => {
  const run = await workspaceGit(workspace, baseCommit, signal)
  const options = ['--binary', '--no-ext-diff', '--no-textconv', '--no-color', '--no-renames']
  // A checkpoint is text: git must quote a file name that is not UTF-8, which would be lost otherwise.
  const { stdout, truncated } = await run(
    ['-c', 'core.quotePath=true', 'diff', ...options, baseCommit, '--', '.', ...withoutSecrets],
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

/** Restores the state of a run in a new checkout. Throws a failure that is retried when it cannot. */
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
