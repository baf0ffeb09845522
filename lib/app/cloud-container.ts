import type { Server } from 'node:http'
import { tmpdir } from 'node:os'
import * as path from 'node:path'
import { createLog } from '../adapters/node/log.ts'
import { sweepWorkspaces } from '../adapters/node/workspace-sweep.ts'
import type { AgentHost, AgentVerbs } from '../composition/ports.ts'
import { type Config, environmentSecrets, readSome } from '../config/config.ts'
import { errorMessage, Problem } from '../core/errors.ts'
import { createMasker } from '../core/masker.ts'
import type { Log } from '../ports/log.ts'
import { openAgentHost } from './agents.ts'
import { type Cloud, LONGEST_WAIT_MS, openCloud } from './cloud.ts'
import type { CloudPorts } from './cloud-ports.ts'
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
  { clock, log }: Pick<CloudPorts, 'clock' | 'log'>,
  isInUse: (name: string) => boolean,
): Promise<unknown> =>
  sweepWorkspaces(workspacesFolder(config), config.WORKSPACE_TTL_HOURS, clock, isInUse).catch((thrown) =>
    log.warn({ reason: errorMessage(thrown) }, 'old workspaces were not removed'),
  )

/** The models and agents of the container. Throws Problem `bad_setting`. */
export const openContainerHost = (config: Config, ports: CloudPorts, requiresModel = false) =>
  openAgentHost({
    ...ports,
    limits: ports.holds,
    config,
    workspacesDir: workspacesFolder(config),
    requiresModel,
  })

/**
 * The domains of the streaming function with models and agents, by the present secrets. Throws Problem `unavailable`
 * `models_unavailable`.
 */
export const openModelled = (served: Cloud): (() => Promise<Cloud>) => {
  /** Turns may continue with earlier secrets: their workspaces stay too. */
  const inUse: ((name: string) => boolean)[] = []
  /** Opening a workspace removes unused ones: their files are in snapshots too. */
  const openHost = async (config: Config, ports: CloudPorts): Promise<AgentHost> => {
    const host = await openContainerHost(config, ports)
    const openAgents = (verbs: AgentVerbs) => {
      const { workspaces, ...agents } = host.openAgents(verbs)
      const open = async (name: string) => {
        await sweepDisk(config, ports, (other) => other === name || inUse.some((isInUse) => isInUse(other)))
        return workspaces.open(name)
      }
      return { ...agents, workspaces: { ...workspaces, open } }
    }
    return { ...host, openAgents }
  }
  return openedWithSecrets(async (config) => {
    try {
      const options = { openHost, longestWaitMs: LONGEST_WAIT_MS.streaming, sharedWith: served }
      const cloud = await openCloud(config, options)
      inUse.push(cloud.snapshots.isInUse)
      return cloud
    } catch (thrown) {
      if (!(thrown instanceof Problem) || thrown.code !== 'bad_setting') throw thrown
      served.log.error({ reason: thrown.message }, 'models cannot be called')
      throw new Problem('unavailable', 'models_unavailable', 'No model provider is configured')
    }
  })
}
