import type { SecurityMode } from '../core/security-mode.ts'
import type { Toolbox } from '../ports/tool.ts'
import { createBegin } from './begin.ts'
import { createCompaction } from './compaction.ts'
import { createComplete } from './complete.ts'
import { createContext } from './context.ts'
import { createSettle } from './finish.ts'
import { createTurnLeases } from './leases.ts'
import type { TurnNeeds } from './needs.ts'
import { createParking } from './park.ts'
import { createRunTurn } from './run.ts'
import { createRunning } from './running.ts'

export type Turns = ReturnType<typeof createTurns>

/** The turns of conversations: begin, run, wait for approval, go on, end. */
export const createTurns = (needs: TurnNeeds) => {
  const { clock, conversations, openTools, snapshots, workspaces } = needs
  const leases = createTurnLeases(needs)
  const { finish, fail, release, readAnswer } = createSettle(needs, leases)
  const { keep, park, takeUp } = createParking(needs, leases)
  const { ofConversation, ofRequest } = createContext(needs)
  const compaction = createCompaction(needs)
  const { begin, open } = createBegin(needs, { ofConversation, compaction, leases, release })
  const { run, answer } = createRunTurn({ ...needs, finish, fail, readAnswer, keep, park })

  /** The tools of a conversation, in its workspace. Throws Problem `missing` for one of another user. */
  const openToolbox = async (
    { userId }: { userId: string },
    conversationId: string,
    how: { mode: SecurityMode; unattended?: boolean },
  ): Promise<Toolbox> => {
    await conversations.own({ userId }, conversationId)
    const workspace = await workspaces.open(conversationId)
    return snapshots.within(conversationId, openTools({ ...how, userId, conversationId, workspace }))
  }

  return {
    begin,
    run,
    complete: createComplete(needs, { ofRequest, open, run, answer }),
    ...createRunning(clock),
    finish,
    takeUp,
    openToolbox,
    /** Of this process: cancels the turn of a conversation, and says whether it has one. */
    stop: leases.stop,
    isHere: leases.isHere,
  }
}
