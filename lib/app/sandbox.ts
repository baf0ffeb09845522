import type { PrivateFolder } from '../adapters/agents/programs.ts'
import { openAgentProxy } from '../adapters/node/agent-proxy.ts'
import { type Commands, createCommands, type Sandbox } from '../adapters/node/command.ts'
import { endLeftSandboxes } from '../adapters/node/left-sandboxes.ts'
import { createOutboundCheck } from '../adapters/node/outbound-check.ts'
import { createRefusalLog } from '../adapters/node/refusal-log.ts'
import { findSandbox, ownFolder, ownHome } from '../adapters/node/sandbox.ts'
import { removeLeftSockets } from '../adapters/node/socket-folder.ts'
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

/** The runner of programs, as the settings and the system allow it. */
export type Programs = {
  commands: Commands
  /** The owner of files that programs write; absent: the service's own user. */
  owner: number | undefined
  health: SandboxHealth
  close: () => Promise<void>
}

/** The health, by whether the system has a sandbox. */
const verdicts = {
  off: 'AGENT_SANDBOX is off: programs of agents may do all that the service’s user may',
  plain: 'No sandbox works here: programs of agents may do all that the service’s user may',
  refused: 'Programs of agents are refused: no sandbox works here, and other people may use this service',
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

/** Finds out whether a sandbox works by running a program. Throws Problem `bad_setting` when a required one fails. */
export const openPrograms = async (needs: Needs): Promise<Programs> => {
  const { config, log } = needs
  if (config.AGENT_SANDBOX === 'off') return withoutSandbox(needs, 'off')
  await Promise.all([removeLeftSockets(), endLeftSandboxes(needs.workspacesDir)])
  const proxy = config.AGENT_NETWORK === 'off' ? undefined : await openProxy(needs)
  const hidden = serviceFolders(config, needs.workspacesDir).map(({ path }) => path)
  const limits = { ...programLimits(config), proxySocket: proxy?.path, hidden }
  const search = await findSandbox(limits, (sandbox) => openCommands(config, { sandbox }))
  if ('sandbox' in search) return inSandbox(config, search.sandbox, proxy?.close)
  await proxy?.close()
  const cause = `bubblewrap: ${search.cause}`
  if (config.AGENT_SANDBOX === 'require')
    throw badSetting(`AGENT_SANDBOX: require, but no sandbox works here (${cause})`)
  log.debug({ cause }, 'no sandbox works here')
  return withoutSandbox(needs, hasOtherUsers(config) ? 'refused' : 'plain', cause)
}

const inSandbox = (
  config: Config,
  sandbox: Sandbox,
  close: Programs['close'] = async () => undefined,
): Programs => ({
  commands: openCommands(config, { sandbox }),
  owner: sandbox.owner,
  health: {
    status: 'healthy',
    message: `Programs of agents run in a sandbox, ${networkWords(config.AGENT_NETWORK)}`,
  },
  close,
})

const networkWords = (network: AgentNetwork): string => {
  if (network === 'off') return 'without network'
  return network === 'on' ? 'with https to public hosts' : 'with https to the hosts of AGENT_NETWORK'
}

const withoutSandbox = ({ config, log }: Needs, verdict: keyof typeof verdicts, cause?: string): Programs => {
  const why = cause === undefined ? '' : ` (${cause})`
  const message = `${verdicts[verdict]}${why}`
  log.warn({}, message)
  return {
    commands: openCommands(config, { ...(verdict === 'refused' && { refusal: refusalText(cause) }) }),
    owner: undefined,
    health: { status: 'degraded', message },
    close: async () => undefined,
  }
}

const refusalText = (cause = '') =>
  `Programs are not run: no sandbox works on this machine (${cause}). An operator can install bubblewrap, or run them without one by AGENT_SANDBOX=off`

const programLimits = ({ AGENT_MEMORY_MB, AGENT_PROCESSES, AGENT_DISK_MB }: Config) => ({
  limits: { memoryMb: AGENT_MEMORY_MB, processes: AGENT_PROCESSES, diskMb: AGENT_DISK_MB },
})

const openCommands = (config: Config, means: { sandbox?: Sandbox; refusal?: string }): Commands =>
  createCommands({ path: config.PATH, ...programLimits(config), ...means })

const openProxy = ({ config, clock, log, port }: Needs) => {
  const { PUBLIC_URL, AGENT_NETWORK: network, OUTBOUND_ALLOW_HOSTS: allow } = config
  const publicHost = PUBLIC_URL && new URL(PUBLIC_URL).hostname
  const { allowed, resolve } = createOutboundCheck({ clock, allow })
  const hosts = typeof network === 'string' ? undefined : network
  const onRefusal = createRefusalLog({ clock, log })
  return openAgentProxy({ allowed, resolve, hosts, onRefusal, service: { publicHost, port } })
}
