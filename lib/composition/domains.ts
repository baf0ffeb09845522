import type { Config } from '../config/config.ts'
import { createLive } from '../live/service.ts'
import type { LiveWatch } from '../ports/live.ts'
import {
  composeCodeHost,
  composeConnectionStatus,
  composeDevices,
  composeDisconnect,
  composeSignIn,
  composeTokens,
  type SignInPorts,
} from './accounts.ts'
import { createAuthContext } from './auth.ts'
import {
  type ConversationPorts,
  composeAgentSessions,
  composeChat,
  composeConversationEnds,
  composeExpand,
  composeMemory,
  composeTaskRuns,
  composeWebSearch,
  type WatchedMemoryPorts,
  type WebSearchPorts,
} from './chat.ts'
import { composeNotices } from './notices.ts'
import { composeSchedules } from './schedules.ts'
import { composeSecurity } from './security.ts'
import { composeWebhooks, composeWork, type Work, type WorkPorts } from './work.ts'

export type Ports = SignInPorts &
  WorkPorts &
  WatchedMemoryPorts &
  ConversationPorts &
  WebSearchPorts & { liveWatch: LiveWatch }

export type Domains = ReturnType<typeof createDomains>

/** All domains, composed. Only this folder passes verbs of one domain to another. */
export const createDomains = (ports: Ports, config: Config) => {
  const auth = createAuthContext(ports, config)
  const agentSessions = composeAgentSessions(ports, config, {
    find: (id) => work.tasks.find(id),
    cancel: (principal, id) => work.tasks.cancel(principal, id),
  })
  const signIn = composeSignIn(auth, ports, config)
  const { access } = signIn.oauth
  const work: Work = composeWork(
    auth,
    {
      ...ports,
      openEvents: composeTaskRuns(agentSessions, ports),
      learn: (...done) => memory.learn(...done),
      commenting: { trackers: ports.trackers, access },
    },
    config,
  )
  const memory = composeMemory(auth, { ...ports, ...composeExpand(config, ports) })
  const security = composeSecurity(auth, ports, config)
  const conversing = composeChat(
    { ...auth, ...work, ...security, memory, agentSessions, access },
    ports,
    config,
  )
  const { turns } = conversing
  return {
    ...auth,
    ...signIn,
    ...work,
    ...security,
    ...composeNotices({ ...auth, ...work }, ports),
    devices: composeDevices(auth, ports),
    memory,
    live: createLive(ports),
    ...conversing,
    ...composeConversationEnds(
      {
        ...security,
        ...conversing,
        stopTurn: turns.stop,
        hasTurn: turns.isHere,
        removeWorkspace: ports.workspaces.remove,
      },
      ports,
    ),
    tokens: composeTokens(auth, ports, config),
    schedules: composeSchedules({ ...auth, ...work }, ports),
    webSearch: composeWebSearch(auth, ports),
    connectionStatus: composeConnectionStatus(auth, ports, config),
    codeHost: composeCodeHost(auth, ports, config),
    disconnect: composeDisconnect(auth, signIn),
    inbound: composeWebhooks({ ...auth, ...work }, ports, config),
  }
}
