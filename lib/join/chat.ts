import type { Conversations } from '../chat/conversations.ts'
import { type ChatPorts, createChat } from '../chat/service.ts'
import type { Config } from '../config.ts'
import type { Memory } from '../memory/service.ts'
import type { Tasks } from '../tasks/service.ts'
import type { AuthPorts } from './auth-context.ts'
import type { Security } from './security.ts'

type ChatDomains = {
  conversations: Conversations
  tasks: Pick<Tasks, 'find' | 'newestOfTicket'>
  memory: Pick<Memory, 'recall' | 'sessions'>
  policy: Pick<Security['policy'], 'current'>
}

/** Chat with models, and what it is told of tasks and memory. */
export const joinChat = (
  { conversations, tasks, memory, policy }: ChatDomains,
  ports: Pick<AuthPorts, 'store' | 'clock' | 'ids' | 'log'> & ChatPorts,
  config: Pick<Config, 'AGENTIC_TIMEOUT_MS'>,
) =>
  createChat({
    ...ports,
    conversations,
    findTask: tasks.find,
    findTicketTask: tasks.newestOfTicket,
    recall: memory.recall,
    hasMemorySession: async (conversationId) => (await memory.sessions.namesOf(conversationId)).length > 0,
    defaultMode: async () => (await policy.current()).defaultMode,
    timeoutMs: config.AGENTIC_TIMEOUT_MS,
  })
