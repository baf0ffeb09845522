import { createForgetSessions } from '../agentic/forget.ts'
import type { ApprovalService } from '../approvals/service.ts'
import { createCancelTurn } from '../chat/cancel.ts'
import type { Conversations } from '../chat/conversations.ts'
import { createConversationRemoval } from '../chat/removal.ts'
import type { Feed } from '../ports/feed.ts'
import type { AuthPorts } from './auth-context.ts'

type Given = {
  conversations: Pick<Conversations, 'own'>
  approvals: Pick<ApprovalService, 'forget' | 'withdraw'>
  /** Stops a turn that goes on in this process; absent where none do. */
  stopTurn?: (conversationId: string) => void
  /** Whether one goes on, in the process that runs all turns; absent where others run them. */
  hasTurn?: (conversationId: string) => boolean
  /** Absent where workspaces lie on the disks of other processes, which tidy them up. */
  removeWorkspace?: (conversationId: string) => Promise<void>
}

/** How conversations are deleted with all that belongs to them, and their turns cancelled. */
export const joinConversationEnds = (
  {
    conversations,
    approvals,
    stopTurn = () => undefined,
    hasTurn,
    removeWorkspace = async () => undefined,
  }: Given,
  ports: Pick<AuthPorts, 'store' | 'clock' | 'log'> & { feed: Pick<Feed, 'remove'> },
) => ({
  conversationRemoval: createConversationRemoval({
    ...{ ...ports, conversations, stopTurn, hasTurn, removeWorkspace },
    forgetSessions: createForgetSessions(ports),
    forgetApprovals: approvals.forget,
  }),
  cancelTurn: createCancelTurn({
    ...{ ...ports, conversations, stopTurn },
    withdrawApprovals: approvals.withdraw,
  }),
})
