import type { Cost } from '../core/cost.ts'
import type { Principal } from '../core/principal.ts'
import type { MemoryChunk } from '../memory/schema.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { Log } from '../ports/log.ts'
import type { Models } from '../ports/model.ts'
import type { Store } from '../ports/store.ts'
import type { RunLoop, Toolbox, ToolSession } from '../ports/tool.ts'
import type { Workspaces } from '../ports/workspace.ts'
import type { Task } from '../tasks/schema.ts'
import type { Conversations } from './conversations.ts'
import type { TakeTurnSlot } from './leases.ts'
import type { ReadTicket } from './read-ticket.ts'
import type { Snapshots } from './snapshots.ts'
import type { WithdrawApprovals } from './waiting.ts'

/** What the turns of conversations need of the process, and of other domains. */
export type TurnNeeds = {
  models: Models
  loop: RunLoop
  openTools: (session: ToolSession) => Toolbox
  workspaces: Pick<Workspaces, 'open'>
  store: Store
  clock: Clock
  ids: Ids
  log: Log
  snapshots: Snapshots
  conversations: Pick<Conversations, 'own'>
  findTask: (id: string) => Promise<Task | undefined>
  findTicketTask: (provider: string, sourceId: string) => Promise<Task | undefined>
  readTicket: ReadTicket
  recall: (query: string) => Promise<readonly MemoryChunk[]>
  /** Whether the user of a conversation tied a memory session to it. */
  hasMemorySession: (conversation: { id: string; userId: string }) => Promise<boolean>
  withdrawApprovals: WithdrawApprovals
  holdsRights: (principal: Principal) => Promise<boolean>
  isDisabled: (userId: string) => Promise<boolean>
  takeTurnSlot: TakeTurnSlot
  /** Counts what an answer of a model cost a user. Never rejects. */
  countCost: (userId: string, cost: Cost) => Promise<void>
  /** The time limit of the begin of a turn: an agentic turn sends nothing before. */
  firstByteMs: number
}
