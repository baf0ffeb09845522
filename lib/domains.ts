import { createConversations } from './chat/conversations.ts'
import type { ChatPorts } from './chat/service.ts'
import type { Config } from './config.ts'
import { joinAgentSessions, joinTaskRuns } from './join/agent-sessions.ts'
import { joinAgentic } from './join/agentic.ts'
import { createAuthContext } from './join/auth-context.ts'
import { joinChat } from './join/chat.ts'
import { joinDevices } from './join/devices.ts'
import { joinMemory, type MemoryJoinPorts } from './join/memory.ts'
import { joinSecurity } from './join/security.ts'
import { joinSignIn, type SignInPorts } from './join/sign-in.ts'
import { joinTokens } from './join/tokens.ts'
import { createContinueTurn } from './join/turns.ts'
import { joinWebhooks } from './join/webhooks.ts'
import { joinWork, type Work, type WorkPorts } from './join/work.ts'

/** The outside world as the domains see it. */
export type Ports = SignInPorts & WorkPorts & MemoryJoinPorts & ChatPorts

export type Domains = ReturnType<typeof createDomains>

/** All domains, joined: a verb that one needs of another is handed over in `join/`, and nowhere else. */
export const createDomains = (ports: Ports, config: Config) => {
  const entry = createAuthContext(ports, config)
  const agentSessions = joinAgentSessions(ports, config, (id) => work.tasks.find(id))
  const work: Work = joinWork(entry, { ...ports, openEvents: joinTaskRuns(agentSessions, ports) }, config)
  const memory = joinMemory(entry, ports)
  const conversations = createConversations(ports)
  const security = joinSecurity(entry, ports, config)
  const chat = joinChat({ ...work, ...security, conversations, memory }, ports, config)
  return {
    ...entry,
    ...joinSignIn(entry, ports, config),
    ...work,
    ...security,
    continueTurn: createContinueTurn({ ...work, chat }),
    devices: joinDevices(entry, ports),
    memory,
    conversations,
    chat,
    agentSessions,
    agentic: joinAgentic({ agentSessions, chat, conversations }, ports),
    tokens: joinTokens(entry, ports, config),
    inbound: joinWebhooks(work, ports, config),
  }
}
