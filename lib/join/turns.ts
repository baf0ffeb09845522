import { type ContinueTurn, type Turn, TurnSchema } from '../approvals/schema.ts'
import type { Chat } from '../chat/service.ts'
import { Problem } from '../core/errors.ts'
import type { Tasks } from '../tasks/service.ts'

type Needs = {
  chat: { turns: Pick<Chat['turns'], 'resume'> }
  tasks: { recovery: Pick<Tasks['recovery'], 'resume'> }
}

/** Continues what waited for an approval: a turn of a conversation, or the run of a task. */
export const createContinueTurn =
  ({ chat, tasks }: Needs): ContinueTurn =>
  async ({ conversationId, taskId, approvalId }) => {
    if (taskId !== undefined) await tasks.recovery.resume(taskId)
    else if (conversationId !== undefined) await chat.turns.resume({ conversationId, approvalId })
  }

/** A message of storage as a turn. Throws Problem `internal` for one that is none: no collection may send such. */
export const turnIn = (body: object): Turn => {
  const { success, data } = TurnSchema.safeParse(body)
  if (!success) throw new Problem('internal', 'unknown_turn', 'A collection sent a turn of an unknown shape')
  return data
}
