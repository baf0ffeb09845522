import type { Principal } from '../core/principal.ts'
import type { SecurityMode } from '../core/security-mode.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { Log } from '../ports/log.ts'
import type { Models } from '../ports/model.ts'
import type { Store } from '../ports/store.ts'
import type { RunLoop } from '../ports/tool.ts'
import type { Workspaces } from '../ports/workspace.ts'
import { createCompaction } from './compaction.ts'
import { createCompletions } from './completions.ts'
import { createContext, type FindTask, type FindTicketTask, type ReadTicket, type Recall } from './context.ts'
import type { Conversations } from './conversations.ts'
import { createTurnLeases, type OpenTurns } from './leases.ts'
import { createSend, type OpenTools } from './send.ts'
import type { Snapshots } from './snapshots.ts'
import { createTurns } from './turns.ts'
import type { WithdrawApprovals } from './waiting.ts'

/** The ports that call models, made by the process with their keys. */
export type ChatPorts = {
  models: Models
  loop: RunLoop
  openTools: OpenTools
  workspaces: Pick<Workspaces, 'open'>
}

type Needs = ChatPorts & {
  store: Store
  clock: Clock
  ids: Ids
  log: Log
  conversations: Conversations
  findTask: FindTask
  findTicketTask: FindTicketTask
  readTicket: ReadTicket
  recall: Recall
  hasMemorySession: (conversation: { id: string; userId: string }) => Promise<boolean>
  defaultMode: () => Promise<SecurityMode> | SecurityMode
  snapshots: Snapshots
  withdrawApprovals: WithdrawApprovals
  holdsRights: (principal: Principal) => Promise<boolean>
  isDisabled: (userId: string) => Promise<boolean>
  openTurns: OpenTurns
  /** The time limit of a turn, and of a streamed completion. */
  timeoutMs: number
  /** The time limit of the first byte, at most `timeoutMs`. A whole answer has to be made within it. */
  firstByteMs: number
}

export type Chat = ReturnType<typeof createChat>

/** Completions, and the turns of conversations. */
export const createChat = (needs: Needs) => {
  const { models } = needs
  const context = createContext(needs)
  const leases = createTurnLeases(needs)
  const turns = createTurns({ ...needs, context, leases, compaction: createCompaction(needs) })
  const send = createSend({ ...needs, turns, leases })
  return {
    models,
    completions: createCompletions({ ...needs, turns, context }),
    send,
    /**
     * Turns that are answered as a session: `begin` and `finish`; `resume` continues one that waited for approval; `stop`
     * ends one in this process; `isHere` says whether one runs here.
     */
    turns: {
      begin: turns.begin,
      finish: turns.finish,
      fail: turns.fail,
      resume: send.resume,
      stop: leases.stop,
      isHere: leases.isHere,
    },
  }
}
