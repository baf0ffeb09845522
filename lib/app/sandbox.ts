import type { PrivateFolder } from '../adapters/agents/programs.ts'
import { openAgentProxy } from '../adapters/node/agent-proxy.ts'
import { type Commands, createCommands, type Owners, type Sandbox } from '../adapters/node/command.ts'
import { type ControlGroups, findControlGroups } from '../adapters/node/control-groups.ts'
import { endLeftSandboxes } from '../adapters/node/left-sandboxes.ts'
import { createOutboundCheck } from '../adapters/node/outbound-check.ts'
import { createRefusalLog } from '../adapters/node/refusal-log.ts'
import { findSandbox, ownFolder, ownHome } from '../adapters/node/sandbox.ts'
import { removeLeftSockets } from '../adapters/node/socket-folder.ts'
import { findUsers } from '../adapters/node/users-sandbox.ts'
import type { AgentNetwork } from '../config/agent-network.ts'
import type { Config } from '../config/config.ts'
import { badSetting } from '../core/bad-setting.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'

type Needs = {
  config: Config
  clock: Clock
  log: Log
  workspacesDir: string
  port: () => number | undefined
}

/** The isolation of agents' programs from the service and its machine. */
export type SandboxHealth = { status: 'healthy' | 'degraded'; message: string }

/** What keeps programs from the service: a sandbox by bubblewrap, users of their own, or nothing. */
type Isolation = 'bubblewrap' | 'users' | 'none'

/** The runner of programs, as the settings and the system allow it. */
export type Programs = {
  commands: Commands
  /** The users who own the files of workspaces; absent: the service's own user. */
  owners: Owners | undefined
  isolation: Isolation
  health: SandboxHealth
  close: () => Promise<void>
}

/** The health, by whether the system has a sandbox. */
const verdicts = {
  off: 'Sandbox: off (AGENT_SANDBOX). Agent programs have all rights of the user of the service',
  plain: 'Sandbox: not available. Agent programs have all rights of the user of the service',
  refused: 'Agent programs are disabled: no sandbox is available, and other people can use this service',
} as const

/** Whether anyone except the person at this machine may give work to agents. */
const hasOtherUsers = ({ AUTH_MODE, SERVICE_MODE, DYNAMODB_ENDPOINT }: Config): boolean =>
  AUTH_MODE !== 'local' || (SERVICE_MODE === 'pro' && DYNAMODB_ENDPOINT === undefined)

const serviceFolders = ({ DATA_DIR, MEMORY_DIR }: Config, workspacesDir: string): PrivateFolder[] => [
  { path: ownFolder, name: 'the folder of the service', isClosed: false },
  { path: workspacesDir, name: 'the folder of the workspaces', isClosed: true },
  { path: DATA_DIR, name: 'DATA_DIR', isClosed: true },
  { path: MEMORY_DIR, name: 'MEMORY_DIR', isClosed: false },
]

/** Folders that no sandbox of an agent shows, though its program lies in one of them, or above. */
export const privateFolders = (config: Config, workspacesDir: string): PrivateFolder[] => [
  ...serviceFolders(config, workspacesDir),
  { path: ownHome, name: 'the home of the user of the service', isClosed: false },
]

/**
 * Finds out what isolates programs here by running one: bubblewrap, else users. Throws Problem `bad_setting` when the
 * required one fails.
 */
export const openPrograms = async (needs: Needs): Promise<Programs> => {
  const { config, log } = needs
  const { AGENT_SANDBOX } = config
  if (AGENT_SANDBOX === 'off') return withoutSandbox(needs, 'off')
  await Promise.all([removeLeftSockets(), endLeftSandboxes(needs.workspacesDir)])
  const groups = await openGroups(needs)
  const causes: string[] = []
  const inBubblewrap = AGENT_SANDBOX === 'users' ? notTried : await openBubblewrap(needs, groups)
  if ('commands' in inBubblewrap) return inBubblewrap
  if (AGENT_SANDBOX !== 'users') causes.push(`bubblewrap: ${inBubblewrap.cause}`)
  if (AGENT_SANDBOX === 'require')
    throw badSetting(`AGENT_SANDBOX: require, but no sandbox is available (${causes.join('; ')})`)
  const asUsers = await openUsers(needs, groups, causes)
  if ('commands' in asUsers) return asUsers
  if (AGENT_SANDBOX === 'users')
    throw badSetting(`AGENT_SANDBOX: users, but programs cannot run as users of their own: ${asUsers.cause}`)
  const cause = [...causes, `users: ${asUsers.cause}`].join('; ')
  log.debug({ cause }, 'no sandbox is available')
  return withoutSandbox(needs, hasOtherUsers(config) ? 'refused' : 'plain', cause)
}

type Groups = ControlGroups | undefined

/** Groups of processes with limits; without them, commands are watched. */
const openGroups = async ({ config, log }: Needs): Promise<Groups> => {
  const found = await findControlGroups(programLimits(config).limits)
  if ('groups' in found) return found.groups
  log.debug(
    { cause: found.cause },
    'the limits of programs are watched: no control group is delegated to the service',
  )
  return undefined
}

const notTried = { cause: '' }

const openBubblewrap = async (needs: Needs, groups: Groups): Promise<Programs | { cause: string }> => {
  const { config } = needs
  const proxy = config.AGENT_NETWORK === 'off' ? undefined : await openProxy(needs)
  const hidden = serviceFolders(config, needs.workspacesDir).map(({ path }) => path)
  const limits = { ...programLimits(config), proxySocket: proxy?.path, hidden }
  const search = await findSandbox(limits, (sandbox) => openCommands(config, { sandbox, groups }))
  if (!('sandbox' in search)) {
    await proxy?.close()
    return search
  }
  const message = `Agent programs run in a sandbox, ${networkWords(config.AGENT_NETWORK)}`
  const isolated = isolatedBy('bubblewrap', config, { sandbox: search.sandbox, groups })
  return { ...isolated, health: { status: 'healthy', message }, close: async () => proxy?.close() }
}

const isolatedBy = (
  isolation: Isolation,
  config: Config,
  { sandbox, groups }: { sandbox: Sandbox; groups: Groups },
  refusal?: string,
) => ({
  commands: openCommands(config, { sandbox, groups, ...(refusal !== undefined && { refusal }) }),
  owners: sandbox.owners,
  isolation,
})

const networkWords = (network: AgentNetwork): string => {
  if (network === 'off') return 'without network access'
  return network === 'on'
    ? 'with https access to public hosts'
    : 'with https access to the hosts of AGENT_NETWORK'
}

const WHOLE_NETWORK = 'with access to the whole network of the service, private addresses included'

/**
 * Separate users do not restrict the network. `AGENT_NETWORK=on` accepts that; with any other value programs run only in mode
 * `local`, where the person at this machine gives them work, as they would without isolation.
 */
const openUsers = async (
  needs: Needs,
  groups: Groups,
  causes: readonly string[],
): Promise<Programs | { cause: string }> => {
  const { config, log } = needs
  const { AGENT_NETWORK, AGENT_SANDBOX, AGENT_UIDS, DATA_DIR, MEMORY_DIR } = config
  const isChosen = AGENT_SANDBOX === 'users'
  const isKept = AGENT_NETWORK === 'on'
  if (isChosen && !isKept)
    throw badSetting(
      'AGENT_NETWORK: must be on with AGENT_SANDBOX=users, which does not limit the network. Limit the network of the container instead',
    )
  const found = await findUsers(
    {
      ...programLimits(config),
      dir: needs.workspacesDir,
      uids: AGENT_UIDS,
      hidden: [
        { setting: 'DATA_DIR', folder: DATA_DIR },
        { setting: 'MEMORY_DIR', folder: MEMORY_DIR },
      ],
    },
    (sandbox) => openCommands(config, { sandbox, groups }),
  )
  if (!('sandbox' in found)) return found
  const isRefused = !isKept && hasOtherUsers(config)
  const why = causes.length > 0 ? ` (${causes.join('; ')})` : ''
  const message = isRefused
    ? `Agent programs are disabled: separate users do not limit the network, and AGENT_NETWORK is not on${why}`
    : `Agent programs run as separate users (${AGENT_UIDS.first} to ${AGENT_UIDS.last}), ${WHOLE_NETWORK}${why}`
  if (!isChosen) log.warn({}, message)
  const refusal = isRefused ? refusalText(message.replace(/^[^:]*: /, '')) : undefined
  return {
    ...isolatedBy('users', config, { sandbox: found.sandbox, groups }, refusal),
    health: { status: isChosen ? 'healthy' : 'degraded', message },
    close: found.close,
  }
}

const withoutSandbox = ({ config, log }: Needs, verdict: keyof typeof verdicts, cause?: string): Programs => {
  const why = cause === undefined ? '' : ` (${cause})`
  const message = `${verdicts[verdict]}${why}`
  log.warn({}, message)
  const refusal = `no sandbox is available on this machine (${cause})`
  return {
    commands: openCommands(config, { ...(verdict === 'refused' && { refusal: refusalText(refusal) }) }),
    owners: undefined,
    isolation: 'none',
    health: { status: 'degraded', message },
    close: async () => undefined,
  }
}

const refusalText = (why: string) =>
  `Programs cannot run: ${why}. An operator can install bubblewrap, run them as separate users (AGENT_SANDBOX=users), or without isolation (AGENT_SANDBOX=off)`

const programLimits = ({ AGENT_MEMORY_MB, AGENT_PROCESSES, AGENT_DISK_MB }: Config) => ({
  limits: { memoryMb: AGENT_MEMORY_MB, processes: AGENT_PROCESSES, diskMb: AGENT_DISK_MB },
})

const openCommands = (
  config: Config,
  means: { sandbox?: Sandbox; groups?: Groups; refusal?: string },
): Commands => createCommands({ path: config.PATH, ...programLimits(config), ...means })

const openProxy = ({ config, clock, log, port }: Needs) => {
  const { PUBLIC_URL, AGENT_NETWORK: network, OUTBOUND_ALLOW_HOSTS: allow } = config
  const publicHost = PUBLIC_URL && new URL(PUBLIC_URL).hostname
  const { allowed, resolve } = createOutboundCheck({ clock, allow })
  const hosts = typeof network === 'string' ? undefined : network
  const onRefusal = createRefusalLog({ clock, log })
  return openAgentProxy({ allowed, resolve, hosts, onRefusal, service: { publicHost, port } })
}
