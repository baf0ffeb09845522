import type { SecurityMode } from '../core/security-mode.ts'
import type { RunLoop, Toolbox, ToolSession } from '../ports/tool.ts'
import type { Workspaces } from '../ports/workspace.ts'
import { createBegin } from './begin.ts'
import { createCompaction } from './compaction.ts'
import { createComplete } from './complete.ts'
import { createContext } from './context.ts'
import { createSettle } from './finish.ts'
import { createTurnLeases } from './leases.ts'
import { createParking } from './park.ts'
import { createRunTurn } from './run.ts'
import { createRunning } from './running.ts'
import type { Snapshots } from './snapshots.ts'

/** What the parts need, without the parts. */
type Needs = Omit<
  Parameters<typeof createContext>[0] &
    Parameters<typeof createBegin>[0] &
    Parameters<typeof createSettle>[0] &
    Parameters<typeof createParking>[0],
  'context' | 'compaction' | 'leases' | 'release'
> & {
  loop: RunLoop
  openTools: (session: ToolSession) => Toolbox
  workspaces: Pick<Workspaces, 'open'>
  snapshots: Snapshots
}

/** The ports that call models, made by the process with their keys. */
export type TurnPorts = Pick<Needs, 'models' | 'loop' | 'openTools' | 'workspaces'>

export type Turns = ReturnType<typeof createTurns>

/** The turns of conversations: begin, run, wait for approval, go on, end. */
export const createTurns = (needs: Needs) => {
  const { clock, conversations, openTools, snapshots, workspaces } = needs
  const context = createContext(needs)
  const leases = createTurnLeases(needs)
  const settle = createSettle({ ...needs, leases })
  const parking = createParking({ ...needs, leases })
  const { release } = settle
  const compaction = createCompaction(needs)

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

  const { begin, open } = createBegin({ ...needs, context, compaction, leases, release })
  const { run, answer } = createRunTurn({ ...needs, ...settle, parking })
  return {
    begin,
    run,
    complete: createComplete({ ...needs, context, open, run, answer }),
    ...createRunning(clock),
    finish: settle.finish,
    takeUp: parking.takeUp,
    openToolbox,
    /** Of this process: cancels the turn of a conversation, and says whether it has one. */
    stop: leases.stop,
    isHere: leases.isHere,
  }
}
