import { tmpdir } from 'node:os'
import * as path from 'node:path'
import { createBreakers } from '../adapters/node/breakers.ts'
import { createLog } from '../adapters/node/log.ts'
import { createOutbound } from '../adapters/node/outbound.ts'
import type { agenticRoutes } from '../agentic/contract.ts'
import { agenticHandlers } from '../agentic/handlers.ts'
import type { modelRoutes } from '../chat/contract.ts'
import { createConversations } from '../chat/conversations.ts'
import { modelHandlers } from '../chat/handlers.ts'
import { readConfig } from '../config.ts'
import { Problem } from '../core/errors.ts'
import { createMasker } from '../core/masker.ts'
import type { Handlers } from '../http/route.ts'
import { joinAgentSessions } from '../join/agent-sessions.ts'
import { joinAgentic } from '../join/agentic.ts'
import type { AuthContext, AuthPorts } from '../join/auth-context.ts'
import { joinChat } from '../join/chat.ts'
import { joinSecurity } from '../join/security.ts'
import type { Work } from '../join/work.ts'
import type { Feed } from '../ports/feed.ts'
import { openAgents } from './agents.ts'
import { openRepositories } from './cloud-accepting.ts'
import { joinCloudMemory } from './cloud-memory.ts'
import { withSecrets } from './cloud-secrets.ts'
import { isFault } from './faults.ts'
import { toolVerbs } from './tool-verbs.ts'

type Served = AuthContext & Pick<Work, 'tasks'> & { ports: AuthPorts & { feed: Feed } }

type StreamedRoutes = typeof modelRoutes & typeof agenticRoutes

/**
 * What calls models, in the streaming function. Throws Problem `unavailable` `models_unavailable` when no provider is
 * configured, or their settings are wrong.
 */
export const openModelHandlers = async (served: Served): Promise<Handlers<StreamedRoutes>> => {
  const config = await withSecrets(readConfig())
  // The keys of providers are known by now, and are in no line.
  const masker = createMasker(config.secrets)
  const ports = { ...served.ports, masker, log: createLog({ level: config.LOG_LEVEL, masker }) }
  const { clock, log } = ports
  const security = joinSecurity(served, ports, config)
  const memory = joinCloudMemory(served, ports, config)
  const agents = await openAgents({
    ...{ config, clock, log, masker, breakers: createBreakers({ clock, isFault }) },
    workspacesDir: config.WORKSPACES_DIR ?? path.join(tmpdir(), 'workspaces'),
    searchMemory: memory.recall,
    ...toolVerbs(() => ({ ...served, ...security })),
    outbound: createOutbound({ clock, allow: config.OUTBOUND_ALLOW_HOSTS }),
    repositories: openRepositories(config),
    isLocalMode: () => served.authMode() === 'local',
  }).catch((thrown: unknown) => {
    if (!(thrown instanceof Problem) || thrown.code !== 'bad_setting') throw thrown
    log.error({ reason: thrown.message }, 'models cannot be called')
    throw new Problem('unavailable', 'models_unavailable', 'No model provider is configured')
  })
  const conversations = createConversations(ports)
  const chat = joinChat(
    { ...security, conversations, tasks: served.tasks, memory },
    { ...ports, ...agents },
    config,
  )
  const agentSessions = joinAgentSessions(ports, config, served.tasks.find)
  const agentic = joinAgentic({ chat, agentSessions, conversations }, { ...ports, ...agents })
  return {
    ...modelHandlers({ chat, clock }),
    ...agenticHandlers({ agentSessions, agentic, clock }),
  }
}
