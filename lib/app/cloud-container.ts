import type { Server } from 'node:http'
import { tmpdir } from 'node:os'
import * as path from 'node:path'
import { createLog } from '../adapters/node/log.ts'
import { createOutbound } from '../adapters/node/outbound.ts'
import { createProviderFetch } from '../adapters/node/provider-fetch.ts'
import { sweepWorkspaces } from '../adapters/node/workspace-sweep.ts'
import type { agenticRoutes } from '../agentic/contract.ts'
import { agenticHandlers } from '../agentic/handlers.ts'
import type { modelRoutes } from '../chat/contract.ts'
import { modelHandlers } from '../chat/handlers.ts'
import { composeCodeHost } from '../composition/accounts.ts'
import type { AuthContext, AuthPorts } from '../composition/auth.ts'
import {
  composeAgentSessions,
  composeChat,
  composeExpand,
  composeMemory,
  composeWebSearch,
} from '../composition/chat.ts'
import { composeSecurity } from '../composition/security.ts'
import type { Work, WorkPorts } from '../composition/work.ts'
import { type Config, environmentSecrets, readConfig, readSome } from '../config.ts'
import { messageOf, Problem } from '../core/errors.ts'
import { createMasker } from '../core/masker.ts'
import type { Handlers } from '../http/route.ts'
import type { memoryRoutes } from '../memory/contract.ts'
import type { Expand } from '../memory/expand.ts'
import { memoryHandlers } from '../memory/handlers.ts'
import type { Log } from '../ports/log.ts'
import type { Workspaces } from '../ports/workspace.ts'
import { openAgents, openModels, toolVerbs } from './agents.ts'
import { LONGEST_WAIT_MS } from './cloud-groups.ts'
import { openMemoryPorts } from './cloud-memory.ts'
import {
  openAccounts,
  openCloudCipher,
  openRepositories,
  openWebSearchPorts,
  withSecrets,
} from './cloud-ports.ts'

/**
 * The log of a program of the container. Settings that cannot be read are reported by the function that answers, so that a level that
 * is none keeps no program from listening.
 */
export const openContainerLog = (): Log => {
  const masker = createMasker(environmentSecrets())
  try {
    return createLog({ level: readSome(['LOG_LEVEL']).LOG_LEVEL, masker })
  } catch {
    return createLog({ level: 'info', masker })
  }
}

/** Listens where PORT and HOST say, which is all that has to be right for that; a process without listens nowhere, and ends. */
export const listenInContainer = (server: Server, log: Log): void => {
  try {
    const { PORT, HOST } = readSome(['PORT', 'HOST'])
    server.listen(PORT, HOST)
  } catch (thrown) {
    log.error({ reason: messageOf(thrown) }, 'the server cannot listen: PORT or HOST is wrong')
    process.exitCode = 1
  }
}

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
 * What both functions of the container stand on: models, agents and tools, what decides on tool calls, and memory. `tasks` is asked
 * for when tools need it: the worker's tasks are run by the agents. Throws Problem `bad_setting`.
 */
export const openContainer = async (
  auth: AuthContext,
  ports: AuthPorts & Pick<WorkPorts, 'feed' | 'breakers'>,
  config: Config,
  tasks: () => Work['tasks'],
) => {
  const { clock } = ports
  const security = composeSecurity(auth, ports, config)
  // Agents are there before memory can ask their models.
  const expand: Expand = (question) => memoryExpand.expand?.(question) ?? Promise.resolve(undefined)
  const memory = composeMemory(auth, { ...openMemoryPorts(config, ports), expand })
  const outbound = createOutbound({ clock, allow: config.OUTBOUND_ALLOW_HOSTS })
  const agents = await openAgents({
    ...{ ...ports, config, workspacesDir: workspacesDirOf(config) },
    searchMemory: memory.recall,
    guideTask: memory.guide,
    searchWeb: composeWebSearch(auth, openWebSearchPorts(config, ports, outbound)).search,
    ...toolVerbs(() => ({ tasks: tasks(), ...security })),
    codeHost: composeCodeHost(
      auth,
      { ...ports, cipher: openCloudCipher(config, ports), providerFetch: createProviderFetch() },
      config,
    ),
    outbound,
    repositories: openRepositories(config),
    isLocalMode: () => auth.authMode() === 'local',
    taskSecurityMode: () => auth.settings.current().tasks.securityMode,
  })
  const memoryExpand = composeExpand(config, { ...ports, ...agents })
  const agentSessions = composeAgentSessions(ports, config, {
    find: (id) => tasks().find(id),
    cancel: (principal, id) => tasks().cancel(principal, id),
  })
  return { agents, agentSessions, memory, ...security }
}

type Served = AuthContext & Pick<Work, 'tasks'> & { ports: AuthPorts & Pick<WorkPorts, 'feed' | 'breakers'> }

type StreamedRoutes = typeof modelRoutes & typeof agenticRoutes

/** The settings with the keys of providers, which are in no line of the log. */
const readWithKeys = async ({ ports }: Served) => {
  const config = await withSecrets(readConfig())
  const masker = createMasker(config.secrets)
  return { config, ports: { ...ports, masker, log: createLog({ level: config.LOG_LEVEL, masker }) } }
}

/**
 * The search of memory where a model adds words to a question, in the streaming function: the function of memory has no code of
 * models. Without a model that can be called, the search goes by the words of the question.
 */
export const openMemorySearch = async (
  served: Served,
): Promise<Pick<Handlers<typeof memoryRoutes>, 'searchMemory'>> => {
  const { config, ports } = await readWithKeys(served)
  const opened = await openModels({ ...ports, config }).catch((thrown: unknown) => {
    if (!(thrown instanceof Problem) || thrown.code !== 'bad_setting') throw thrown
    ports.log.error({ reason: thrown.message }, 'memory is searched without a model')
    return undefined
  })
  const expand = opened ? composeExpand(config, { ...ports, ...opened }) : {}
  const memory = composeMemory(served, { ...openMemoryPorts(config, ports), ...expand })
  return { searchMemory: memoryHandlers({ memory }).searchMemory }
}

/**
 * What calls models, in the streaming function. Throws Problem `unavailable` `models_unavailable` when no provider is
 * configured, or their settings are wrong.
 */
export const openModelHandlers = async (served: Served): Promise<Handlers<StreamedRoutes>> => {
  const { config, ports } = await readWithKeys(served)
  const { clock, log } = ports
  const opened = await openContainer(served, ports, config, () => served.tasks).catch((thrown: unknown) => {
    if (!(thrown instanceof Problem) || thrown.code !== 'bad_setting') throw thrown
    log.error({ reason: thrown.message }, 'models cannot be called')
    throw new Problem('unavailable', 'models_unavailable', 'No model provider is configured')
  })
  const { agents } = opened
  /** The workspace that is opened makes the others go: a turn finds its files in their snapshot as well. */
  const workspaces: Workspaces = {
    ...agents.workspaces,
    open: async (name) => {
      await sweepDisk(config, ports, (other) => other === name || domains.snapshots.isInUse(other))
      return agents.workspaces.open(name)
    },
  }
  const { trackers, access } = openAccounts(served, ports, readConfig())
  const domains = composeChat(
    { ...opened, tasks: served.tasks, access },
    { ...ports, ...agents, workspaces, trackers },
    config,
    LONGEST_WAIT_MS.streaming,
  )
  return { ...modelHandlers({ ...domains, clock }), ...agenticHandlers({ ...domains, clock }) }
}
