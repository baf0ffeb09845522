import { createForgetSessions } from '../agentic/forget.ts'
import { createAgenticTurns } from '../agentic/turn.ts'
import type { ContinueTurn } from '../approvals/schema.ts'
import { createChat } from '../chat/service.ts'
import type { Config } from '../config/config.ts'
import type { Memory } from '../memory/service.ts'
import type { AccountAccess } from '../oauth/schema.ts'
import type { Models } from '../ports/model.ts'
import type { RunLoop, Toolbox, ToolSession } from '../ports/tool.ts'
import { workspaceTools } from '../tools/catalog.ts'
import { createConversations } from '../turns/conversations.ts'
import { createReadTicket } from '../turns/read-ticket.ts'
import { createConversationRemoval } from '../turns/removal.ts'
import { createTurns } from '../turns/service.ts'
import { createSnapshots, noSnapshots } from '../turns/snapshots.ts'
import type { People } from './people.ts'
import type { Agents, Ports } from './ports.ts'
import type { Security } from './security.ts'
import type { Work } from './work.ts'

type Needs = Ports &
  Pick<Agents, 'workspaces'> &
  Pick<Work, 'tasks' | 'agentSessions' | 'budgets'> &
  Pick<Security, 'policy' | 'approvals'> & {
    models: Models
    loop: RunLoop
    /** The tools of conversations. */
    openTools: (session: ToolSession) => Toolbox
    memory: Memory
    access: AccountAccess
  }

type Caller = Pick<People, 'holdsRights' | 'takeTurnSlot' | 'readAccountStatus'>

/** Conversations: their turns, what continues after an approval, and their end. */
export const createConversing = (people: Caller, needs: Needs, config: Config) => {
  const { tasks, budgets, memory, policy, approvals, agentSessions, workspaces } = needs
  const { holdsRights, takeTurnSlot, readAccountStatus } = people
  const changing = new Set(workspaceTools.filter(({ risk }) => risk !== 'read').map(({ name }) => name))
  const isOneProcess = needs.processes === 'one'
  const conversations = createConversations({ ...needs, taskExists: tasks.exists })
  const snapshots = isOneProcess
    ? noSnapshots
    : createSnapshots({ ...needs, changesFiles: (tool) => changing.has(tool) })
  const { AGENTIC_TIMEOUT_MS: timeoutMs } = config
  const firstByteMs = Math.min(timeoutMs, needs.longestWaitMs ?? Number.POSITIVE_INFINITY)
  const turns = createTurns({
    ...needs,
    firstByteMs,
    conversations,
    snapshots,
    holdsRights,
    takeTurnSlot: async (userId) => {
      await budgets.refuseChat(userId)
      return takeTurnSlot(userId)
    },
    countCost: budgets.countChat,
    findTask: tasks.find,
    findTicketTask: tasks.newestOfTicket,
    readTicket: createReadTicket(needs),
    recall: memory.recall,
    hasMemorySession: async (conversation) => (await memory.sessions.readNames(conversation.id)).length > 0,
    withdrawApprovals: approvals.withdraw,
    isDisabled: async (userId) => (await readAccountStatus(userId))?.disabled === true,
  })
  const defaultMode = async () => (await policy.current()).defaultMode
  const agentic = createAgenticTurns({
    ...needs,
    sessions: agentSessions,
    turns,
    openToolbox: (principal, id) => turns.openToolbox(principal, id, { mode: 'full', unattended: true }),
  })
  const chat = createChat({ ...needs, timeoutMs, firstByteMs, turns, defaultMode })
  /** Continues what waited for an approval: a turn of a conversation, or the run of a task. */
  const continueTurn: ContinueTurn = async (message) => {
    if ('endedTaskId' in message) {
      const { endedTaskId: taskId, userId } = message
      return approvals.withdrawEnded({ taskId, userId })
    }
    const { conversationId, taskId } = message
    if (taskId !== undefined) await tasks.recovery.resume(taskId)
    else if (conversationId !== undefined) await chat.send.resume({ conversationId })
  }
  return {
    conversations,
    chat,
    turns,
    snapshots,
    agentic,
    continueTurn,
    conversationRemoval: createConversationRemoval({
      ...needs,
      conversations,
      stopTurn: turns.stop,
      // Other processes have turns and workspaces as well: leases show the turns, and their disks are cleared later.
      hasTurn: isOneProcess ? turns.isHere : undefined,
      removeWorkspace: isOneProcess ? workspaces.remove : async () => undefined,
      forgetSessions: createForgetSessions(needs),
      forgetApprovals: approvals.forget,
    }),
    cancelTurn: turns.cancel,
  }
}
