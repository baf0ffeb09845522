import type { AgentSessions } from '../agentic/sessions.ts'
import { createAgenticTurns } from '../agentic/turn.ts'
import type { Conversations } from '../chat/conversations.ts'
import type { Chat, ChatPorts } from '../chat/service.ts'
import type { AuthPorts } from './auth-context.ts'

type AgenticDomains = { chat: Chat; agentSessions: AgentSessions; conversations: Pick<Conversations, 'own'> }

/** Agentic turns: a conversation's workspace, with all tools approved. */
export const joinAgentic = (
  { chat, agentSessions, conversations }: AgenticDomains,
  ports: Pick<AuthPorts, 'clock' | 'ids' | 'log'> & ChatPorts,
) =>
  createAgenticTurns({
    ...ports,
    sessions: agentSessions,
    turns: chat.turns,
    openToolbox: async (principal, conversationId) => {
      await conversations.own(principal, conversationId)
      const workspace = await ports.workspaces.open(conversationId)
      return ports.openTools({
        ...{ mode: 'full', unattended: true, workspace },
        ...{ userId: principal.userId, conversationId },
      })
    },
  })
