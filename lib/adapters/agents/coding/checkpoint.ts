import { definedFields } from '../../../core/defined-fields.ts'
import type { ModelMessage } from '../../../ports/model.ts'
import type { LoopResult, StoppedLoop } from '../../../ports/tool.ts'
import type { Checkout } from '../repository/checkout.ts'
import { workspacePatch } from '../repository/patch.ts'
import type { Work } from '../repository/work.ts'
import type { UsedMemory } from './guidance.ts'

/**
 * The checkpoint of a run that waits for approval. `messages` end with the calls that have no result yet; `waiting` are
 * those of them that a person has to decide. `patch` is the workspace's
 * difference to its base commit, without credential files; absent when it is too large or could not be read.
 */
export type CodingCheckpoint = Checkout &
  Required<Omit<StoppedLoop, 'question'>> &
  Pick<StoppedLoop, 'question'> & {
    messages: readonly ModelMessage[]
    patch?: string
    /** The guidance that the run began with. */
    memory?: UsedMemory
  }

export const createCheckpoint = async (
  { messages, pending, steps, toolCalls, usage, question }: LoopResult,
  { workspace, at }: Work,
  memory: UsedMemory | undefined,
  signal: AbortSignal,
): Promise<CodingCheckpoint> => {
  const patch = await workspacePatch(workspace, at.baseCommit, signal)
  const waiting = pending.map(({ call, approvalId }) => ({ callId: call.id, approvalId }))
  const more = { ...(memory && { memory }), ...definedFields({ patch, question }) }
  return { ...at, messages, waiting, steps, toolCalls, usage, ...more }
}
