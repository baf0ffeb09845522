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
import { type Config, environmentSecrets, readConfig, readSome } from '../config/config.ts'
import { errorMessage, Problem } from '../core/errors.ts'
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
import { openAccounts, openCloudCipher, openRepositories, openWebSearchPorts } from './cloud-ports.ts'
import { openedWithSecrets } from './cloud-secrets.ts'

/**
 * The log of a program in the container. It tolerates an invalid log level, which the function that answers reports.
 */
export const openContainerLog = (): Log => {
  const masker = createMasker(environmentSecrets())
  try {
    return createLog({ level: readSome(['LOG_LEVEL']).LOG_LEVEL, masker })
  } catch {
    return createLog({ level: 'info', masker })
  }
}

/** Listens at HOST and PORT, the only settings that must be valid for that; without a valid address the process ends. */
export const listenInContainer = (server: Server, log: Log): void => {
  try {
    const { PORT, HOST } = readSome(['PORT', 'HOST'])
    server.listen(PORT, HOST)
  } catch (thrown) {
    log.error({ reason: errorMessage(thrown) }, 'the server cannot listen: PORT or HOST is wrong')
    process.exitCode = 1
  }
}

const workspacesFolder = ({ WORKSPACES_DIR }: Config): string =>
  WORKSPACES_DIR ?? path.join(tmpdir(), 'workspaces')

/** Removes old workspaces that are not in use: a function's disk outlives an invocation. */
export const sweepDisk = (
  config: Config,
  { clock, log }: Pick<AuthPorts, 'clock' | 'log'>,
  isInUse: (name: string) => boolean,
): Promise<unknown> =>
  sweepWorkspaces(workspacesFolder(config), config.WORKSPACE_TTL_HOURS, clock, isInUse).catch((thrown) =>
    log.warn({ reason: errorMessage(thrown) }, 'old workspaces were not removed'),
  )

/** Models, agents, tools and memory, for both functions of the container. Throws Problem `bad_setting`. */
export const openContainer = async (
  auth: AuthContext,
  ports: AuthPorts & Pick<WorkPorts, 'feed' | 'breakers'>,
  config: Config,
  tasks: () => Work['tasks'],
) => {
  const { clock } = ports
  const security = composeSecurity(auth, ports, config)
  // The agents, whose models memory asks, are made first.
  const expand: Expand = (question) => memoryExpand.expand?.(question) ?? Promise.resolve(undefined)
  const memory = composeMemory(auth, { ...openMemoryPorts(config, ports), expand })
  const outbound = createOutbound({ clock, allow: config.OUTBOUND_ALLOW_HOSTS })
  const agents = await openAgents({
    ...ports,
    config,
    workspacesDir: workspacesFolder(config),
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

/** The ports with the keys of providers, which every log line masks. */
const portsWithKeys = ({ ports }: Served, config: Config) => {
  const masker = createMasker(config.secrets)
  return { ...ports, masker, log: createLog({ level: config.LOG_LEVEL, masker }) }
}

/** The search of memory with words that a model adds, in the streaming function: the one of memory has no models. */
export const openMemorySearch = (
  served: Served,
): (() => Promise<Pick<Handlers<typeof memoryRoutes>, 'searchMemory'>>) =>
  openedWithSecrets(async (config) => {
    const ports = portsWithKeys(served, config)
    const opened = await openModels({ ...ports, config }).catch((thrown: unknown) => {
      if (!(thrown instanceof Problem) || thrown.code !== 'bad_setting') throw thrown
      ports.log.error({ reason: thrown.message }, 'memory is searched without a model')
      return undefined
    })
    const expand = opened ? composeExpand(config, { ...ports, ...opened }) : {}
    const memory = composeMemory(served, { ...openMemoryPorts(config, ports), ...expand })
    return { searchMemory: memoryHandlers({ memory }).searchMemory }
  })

/** The handlers that call models, with the present secrets. Throws Problem `unavailable` `models_unavailable`. */
export const openModelHandlers = (served: Served): (() => Promise<Handlers<StreamedRoutes>>) => {
  /** Turns may continue with earlier handlers: their workspaces stay too. */
  const inUse: ((name: string) => boolean)[] = []
  return openedWithSecrets((config) => createModelHandlers(served, config, inUse))
}

const createModelHandlers = async (
  served: Served,
  config: Config,
  inUse: ((name: string) => boolean)[],
): Promise<Handlers<StreamedRoutes>> => {
  const ports = portsWithKeys(served, config)
  const { clock, log } = ports
  const opened = await openContainer(served, ports, config, () => served.tasks).catch((thrown: unknown) => {
    if (!(thrown instanceof Problem) || thrown.code !== 'bad_setting') throw thrown
    log.error({ reason: thrown.message }, 'models cannot be called')
    throw new Problem('unavailable', 'models_unavailable', 'No model provider is configured')
  })
  const { agents } = opened
  /** Opening a workspace removes unused ones: their files are in snapshots too. */
  const workspaces: Workspaces = {
    ...agents.workspaces,
    open: async (name) => {
      await sweepDisk(config, ports, (other) => other === name || inUse.some((isInUse) => isInUse(other)))
      return agents.workspaces.open(name)
    },
  }
  const { trackers, access } = openAccounts(served, ports, readConfig())
  const domains = composeChat(
    { ...served, ...opened, access },
    { ...ports, ...agents, workspaces, trackers },
    config,
    LONGEST_WAIT_MS.streaming,
  )
  inUse.push(domains.snapshots.isInUse)
  const needs = { ...domains, clock, openStreams: served.openStreams }
  return { ...modelHandlers(needs), ...agenticHandlers(needs) }
}
