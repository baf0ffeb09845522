import type { Config } from './config.ts'
import { joinAgentSessions, joinTaskRuns } from './join/agent-sessions.ts'
import { createAuthContext } from './join/auth-context.ts'
import { type ChatJoinPorts, joinChat } from './join/chat.ts'
import { joinCodeHost } from './join/code-host.ts'
import { joinConversationEnds } from './join/conversations.ts'
import { joinDevices } from './join/devices.ts'
import {
  joinConnectionStatus,
  joinDisconnect,
  joinWebSearch,
  type WebSearchPorts,
} from './join/integrations.ts'
import { joinMemory, type MemoryJoinPorts } from './join/memory.ts'
import { joinSchedules } from './join/schedules.ts'
import { joinSecurity } from './join/security.ts'
import { joinSignIn, type SignInPorts } from './join/sign-in.ts'
import { joinTokens } from './join/tokens.ts'
import { joinWebhooks } from './join/webhooks.ts'
import { joinWork, type Work, type WorkPorts } from './join/work.ts'
import { createLive } from './live/service.ts'
import type { LiveWatch } from './ports/live.ts'

/** The outside world as the domains see it. */
export type Ports = SignInPorts &
  WorkPorts &
  MemoryJoinPorts &
  ChatJoinPorts &
  WebSearchPorts & { liveWatch: LiveWatch }

export type Domains = ReturnType<typeof createDomains>

/** All domains, joined: a verb that one needs of another is handed over in `join/`, and nowhere else. */
export const createDomains = (ports: Ports, config: Config) => {
  const entry = createAuthContext(ports, config)
  const agentSessions = joinAgentSessions(ports, config, {
    find: (id) => work.tasks.find(id),
    cancel: (principal, id) => work.tasks.cancel(principal, id),
  })
  const signIn = joinSignIn(entry, ports, config)
  const { access } = signIn.oauth
  const work: Work = joinWork(
    entry,
    {
      ...ports,
      openEvents: joinTaskRuns(agentSessions, ports),
      commenting: { trackers: ports.trackers, access },
    },
    config,
  )
  const memory = joinMemory(entry, ports)
  const security = joinSecurity(entry, ports, config)
  const talk = joinChat({ ...work, ...security, memory, agentSessions, access }, ports, config)
  return {
    ...entry,
    ...signIn,
    ...work,
    ...security,
    devices: joinDevices(entry, ports),
    memory,
    live: createLive(ports),
    ...talk,
    ...joinConversationEnds(
      {
        ...{ ...security, conversations: talk.conversations },
        ...{ stopTurn: talk.chat.turns.stop, hasTurn: talk.chat.turns.isHere },
        removeWorkspace: ports.workspaces.remove,
      },
      ports,
    ),
    tokens: joinTokens(entry, ports, config),
    schedules: joinSchedules({ ...entry, ...work }, ports),
    webSearch: joinWebSearch(entry, ports),
    connectionStatus: joinConnectionStatus(entry, ports, config),
    codeHost: joinCodeHost(entry, ports, config),
    disconnect: joinDisconnect(entry, signIn),
    inbound: joinWebhooks({ ...entry, ...work }, ports, config),
  }
}
