import { tmpdir } from 'node:os'
import * as path from 'node:path'
import { createOutbound } from '../adapters/node/outbound.ts'
import { createProviderFetch } from '../adapters/node/provider-fetch.ts'
import { sweepWorkspaces } from '../adapters/node/workspace-sweep.ts'
import type { Config } from '../config.ts'
import { messageOf } from '../core/errors.ts'
import { joinAgentSessions } from '../join/agent-sessions.ts'
import type { AuthContext, AuthPorts } from '../join/auth-context.ts'
import { joinCodeHost } from '../join/code-host.ts'
import { joinWebSearch } from '../join/integrations.ts'
import { joinMemory } from '../join/memory.ts'
import { joinSecurity } from '../join/security.ts'
import type { Work, WorkPorts } from '../join/work.ts'
import { openAgents } from './agents.ts'
import { openCloudCipher, openMemoryPorts, openRepositories, openWebSearchPorts } from './cloud-ports.ts'
import { toolVerbs } from './tool-verbs.ts'

/** Where workspaces are, unless the deployment says so. */
const workspacesDirOf = ({ WORKSPACES_DIR }: Config): string =>
  WORKSPACES_DIR ?? path.join(tmpdir(), 'workspaces')

/** Removes old workspaces, but for those in use: the disk of a function lives on for what it does next. */
export const sweepDisk = (
  config: Config,
  { clock, log }: Pick<AuthPorts, 'clock' | 'log'>,
  isInUse: (name: string) => boolean,
): Promise<unknown> =>
  sweepWorkspaces(workspacesDirOf(config), config.WORKSPACE_TTL_HOURS, clock, isInUse).catch((thrown) =>
    log.warn({ reason: messageOf(thrown) }, 'old workspaces were not removed'),
  )

/**
 * What both functions of the container stand on: models, agents and tools, what judges those, and memory. `tasks` is asked
 * for when tools need it: the worker's tasks are run by the agents. Throws Problem `bad_setting`.
 */
export const openContainer = async (
  entry: AuthContext,
  ports: AuthPorts & Pick<WorkPorts, 'feed' | 'breakers'>,
  config: Config,
  tasks: () => Work['tasks'],
) => {
  const { clock } = ports
  const security = joinSecurity(entry, ports, config)
  const memory = joinMemory(entry, openMemoryPorts(config, ports))
  const outbound = createOutbound({ clock, allow: config.OUTBOUND_ALLOW_HOSTS })
  const agents = await openAgents({
    ...{ ...ports, config, workspacesDir: workspacesDirOf(config) },
    searchMemory: memory.recall,
    searchWeb: joinWebSearch(entry, openWebSearchPorts(config, ports, outbound)).search,
    ...toolVerbs(() => ({ tasks: tasks(), ...security })),
    codeHost: joinCodeHost(
      entry,
      { ...ports, cipher: openCloudCipher(config, ports), providerFetch: createProviderFetch() },
      config,
    ),
    outbound,
    repositories: openRepositories(config),
    isLocalMode: () => entry.authMode() === 'local',
    taskSecurityMode: () => entry.settings.current().tasks.securityMode,
  })
  const agentSessions = joinAgentSessions(ports, config, {
    find: (id) => tasks().find(id),
    cancel: (principal, id) => tasks().cancel(principal, id),
  })
  return { agents, agentSessions, memory, ...security }
}
