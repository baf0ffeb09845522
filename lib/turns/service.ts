import type { SecurityMode } from '../core/security-mode.ts'
import type { Toolbox } from '../ports/tool.ts'
import { createAnswerMessages } from './answer-messages.ts'
import { createBegin } from './begin.ts'
import { createCancelTurn } from './cancel.ts'
import { createCompaction } from './compaction.ts'
import { createContext } from './context.ts'
import { createDrain } from './drain.ts'
import { createFinish } from './finish.ts'
import { createTurnLeases } from './leases.ts'
import type { TurnNeeds } from './needs.ts'
import { createParking } from './park.ts'
import { createRunTurn } from './run.ts'

export type Turns = ReturnType<typeof createTurns>

/** The turns of conversations: begin, run, wait for approval, go on, end. */
export const createTurns = (needs: TurnNeeds) => {
  const { clock, conversations, openTools, snapshots, workspaces } = needs
  const leases = createTurnLeases(needs)
  const { finish, fail, release, readAnswer } = createFinish(needs, leases)
  const { storeWaiting, park, claimWaiting } = createParking(needs, leases)
  const { ofConversation, ofRequest } = createContext(needs)
  const compaction = createCompaction(needs)
  const { begin, open } = createBegin(needs, { ofConversation, compaction, leases, release })
  const { run, runUnstored } = createRunTurn({ ...needs, finish, fail, readAnswer, storeWaiting, park })

  /** The tools of a turn that goes on, in the workspace of its conversation. */
  const reopenToolbox = async (
    { userId }: { userId: string },
    conversationId: string,
    how: { mode: SecurityMode; unattended?: boolean },
  ): Promise<Toolbox> => {
    const workspace = await workspaces.open(conversationId)
    return snapshots.withRestore(conversationId, openTools({ ...how, userId, conversationId, workspace }))
  }

  /** The tools of a turn that will begin. Throws Problem `missing` for a conversation of another user. */
  const openToolbox: typeof reopenToolbox = async (user, conversationId, how) => {
    await conversations.own(user, conversationId)
    return reopenToolbox(user, conversationId, how)
  }

  return {
    begin,
    run,
    answerMessages: createAnswerMessages(needs, { ofRequest, open, run, runUnstored }),
    ...createDrain(clock),
    finish,
    claimWaiting,
    cancel: createCancelTurn(needs, leases),
    openToolbox,
    reopenToolbox,
    /** Of this process: cancels the turn of a conversation, and says whether it has one. */
    stop: leases.stop,
    isHere: leases.isHere,
  }
}
