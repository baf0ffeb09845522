import type { AgentSessions } from '../agentic/sessions.ts'
import { createAgenticTurns } from '../agentic/turn.ts'
import { type ContinueTurn, type TurnMessage, TurnMessageSchema } from '../approvals/schema.ts'
import type { ApprovalService } from '../approvals/service.ts'
import { createConversations } from '../chat/conversations.ts'
import { type ChatPorts, createChat } from '../chat/service.ts'
import { createSnapshots, noSnapshots } from '../chat/snapshots.ts'
import type { Config } from '../config.ts'
import { Problem } from '../core/errors.ts'
import type { Principal } from '../core/principal.ts'
import type { Memory } from '../memory/service.ts'
import type { AccountAccess } from '../oauth/schema.ts'
import type { Trackers } from '../ports/tracker.ts'
import type { Workspaces } from '../ports/workspace.ts'
import type { Tasks } from '../tasks/service.ts'
import { workspaceTools } from '../tools/catalog.ts'
import type { AuthPorts } from './auth-context.ts'
import { type Security, TASK_ENDED } from './security.ts'
import { createReadTicket } from './tickets.ts'

type Others = {
  tasks: Pick<Tasks, 'find' | 'newestOfTicket'> & { recovery: Pick<Tasks['recovery'], 'resume'> }
  memory: Pick<Memory, 'recall' | 'sessions'>
  policy: Pick<Security['policy'], 'current'>
  approvals: Pick<ApprovalService, 'withdraw' | 'withdrawOf'>
  agentSessions: AgentSessions
  access: Pick<AccountAccess, 'readerOf' | 'tokenOf'>
}
type Ports = Pick<AuthPorts, 'store' | 'clock' | 'ids' | 'log' | 'masker'> & ChatJoinPorts
export type ChatJoinPorts = ChatPorts & { workspaces: Workspaces; trackers: Trackers }

const changing = new Set(workspaceTools.filter(({ risk }) => risk !== 'read').map(({ name }) => name))

/**
 * Conversations with models: their turns, plain, with tools and agentic, and how a turn goes on after an approval.
 * `longestSilenceMs` is how long a proxy in front of the service waits for a first byte.
 */
export const joinChat = (
  { tasks, memory, policy, approvals, agentSessions, access }: Others,
  ports: Ports,
  config: Pick<Config, 'AGENTIC_TIMEOUT_MS' | 'SERVICE_MODE'>,
  longestSilenceMs = Number.POSITIVE_INFINITY,
) => {
  const isOneProcess = config.SERVICE_MODE !== 'pro'
  const conversations = createConversations(ports)
  const snapshots = isOneProcess
    ? noSnapshots
    : createSnapshots({ ...ports, changesFiles: (tool) => changing.has(tool) })
  const chat = createChat({
    ...ports,
    ...{ conversations, snapshots },
    findTask: tasks.find,
    findTicketTask: tasks.newestOfTicket,
    readTicket: createReadTicket({ trackers: ports.trackers, access }),
    recall: memory.recall,
    hasMemorySession: async (conversationId) => (await memory.sessions.namesOf(conversationId)).length > 0,
    defaultMode: async () => (await policy.current()).defaultMode,
    withdrawApprovals: approvals.withdraw,
    timeoutMs: config.AGENTIC_TIMEOUT_MS,
    firstByteMs: Math.min(config.AGENTIC_TIMEOUT_MS, longestSilenceMs),
  })
  /** A conversation's workspace, with all tools approved. */
  const openToolbox = async ({ userId }: Principal, conversationId: string) => {
    await conversations.own({ userId }, conversationId)
    const workspace = await ports.workspaces.open(conversationId)
    const session = { mode: 'full', unattended: true, workspace, userId, conversationId } as const
    return snapshots.within(conversationId, ports.openTools(session))
  }
  const agentic = createAgenticTurns({ ...ports, sessions: agentSessions, turns: chat.turns, openToolbox })
  /** What waited for an approval: a turn of a conversation, or the run of a task. */
  const continueTurn: ContinueTurn = async (message) => {
    if ('endedTaskId' in message) {
      const { endedTaskId: taskId, userId } = message
      return approvals.withdrawOf({ taskId, userId }, TASK_ENDED)
    }
    const { conversationId, taskId } = message
    if (taskId !== undefined) await tasks.recovery.resume(taskId)
    else if (conversationId !== undefined) await chat.turns.resume({ conversationId })
  }
  return { conversations, chat, snapshots, agentSessions, agentic, continueTurn }
}

/** A message of storage to what waits for approvals. Throws Problem `internal` for one that is none: no collection may send such. */
export const turnMessageIn = (body: object): TurnMessage => {
  const { success, data } = TurnMessageSchema.safeParse(body)
  if (!success)
    throw new Problem(
      'internal',
      'unknown_turn_message',
      'A collection sent a message about approvals in an unknown shape',
    )
  return data
}
