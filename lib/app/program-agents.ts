import { createAcpAgent } from '../adapters/agents/acp/agent.ts'
import { acpPrograms } from '../adapters/agents/acp/catalog.ts'
import { openBroker, type RefusedCall } from '../adapters/agents/broker/broker.ts'
import { createCommandAgent } from '../adapters/agents/command/agent.ts'
import { commandPrograms } from '../adapters/agents/command/catalog.ts'
import type { AgentProgram } from '../adapters/agents/program/program.ts'
import { findPrivateFolder, type PrivateFolder, searchProgram } from '../adapters/agents/programs.ts'
import { readFailure } from '../adapters/models/failures.ts'
import {
  configuredProviders,
  type Provider,
  providerWithKey,
  withStoredKeys,
} from '../adapters/models/resolve.ts'
import { withoutCodings } from '../adapters/node/content-coding.ts'
import { listenInFolder } from '../adapters/node/socket-folder.ts'
import type { Config } from '../config/config.ts'
import { variable } from '../config/families.ts'
import { badSetting } from '../core/bad-setting.ts'
import { type BrokeredKind, brokeredKinds } from '../core/brokered-kinds.ts'
import type { Masker } from '../core/masker.ts'
import type { StoredKeys } from '../model-keys/stored-keys.ts'
import type { AgentAdapter } from '../ports/agent.ts'
import type { Entropy } from '../ports/entropy.ts'
import type { Log } from '../ports/log.ts'
import type { Prices } from '../ports/prices.ts'
import type { ProviderLimits } from '../ports/provider-limits.ts'

type AgentNeeds = Parameters<typeof createAcpAgent>[1]
type Needs = Omit<AgentNeeds, 'search' | 'missingSettings' | 'providers' | 'brokered' | 'commands'> & {
  commands: AgentNeeds['commands'] & { hasOwnNetwork: boolean }
  entropy: Entropy
  log: Log
  masker: Masker
  limits: ProviderLimits
  prices: Prices
  privateFolders: readonly PrivateFolder[]
  /** The keys that admins have stored. */
  modelKeys: Pick<StoredKeys, 'current'>
}

/** One broker for the runs of all agents, opened by the first. */
const createBrokerHost = (config: Config, needs: Needs) => {
  const { clock, masker, modelKeys } = needs
  /** Read at each use: admins store and remove keys while the service runs. */
  const findProvider = (kind: string): Provider | undefined =>
    configuredProviders({ providers: withStoredKeys(config.providers, modelKeys.current()) }).get(kind)
  const readFailed = (kind: BrokeredKind, failed: RefusedCall | Error) => {
    // The key may have been removed since the call.
    const provider = findProvider(kind) ?? providerWithKey(config, kind)
    return readFailure(provider, failed, { now: clock.now(), masker })
  }
  const hasModel = (kind: string) => findProvider(kind) !== undefined
  const models = () =>
    Object.fromEntries(
      brokeredKinds.flatMap((kind) => {
        const { model } = config.providers[kind]
        return model && hasModel(kind) ? [[kind, model]] : []
      }),
    )
  const openHost = async () => {
    const provider = (kind: BrokeredKind) => findProvider(kind)
    const broker = openBroker({
      ...needs,
      listenOnSocket: needs.commands.hasOwnNetwork ? listenInFolder : undefined,
      provider,
      readFailure: readFailed,
      withoutCodings,
    })
    return { broker, price: await needs.prices.load(), hasModel, models }
  }
  let host: ReturnType<typeof openHost> | undefined
  return {
    hasModel,
    brokered: () => {
      host ??= openHost()
      return host
    },
    close: async () => {
      const opened = await host
      await opened?.broker.close()
    },
  }
}

/** Throws Problem `bad_setting` for a program whose `reads` would show a private folder to the sandbox. */
const refusePrivateReads = async (
  config: Config,
  privateFolders: readonly PrivateFolder[],
): Promise<void> => {
  for (const setting of ['ACP_AGENTS', 'COMMAND_AGENTS'] as const)
    for (const { type, reads = [] } of config[setting])
      for (const folder of reads) {
        const privateFolder = await findPrivateFolder(folder, privateFolders)
        if (privateFolder === undefined) continue
        const { name, path } = privateFolder
        throw badSetting(
          `${setting}: reads of ${type}: ${folder} would show ${name} (${path}) to the program; name the folders beside it that the program needs`,
        )
      }
}

/**
 * The agents that are programs of other people: those of the presets, of `ACP_AGENTS` and of `COMMAND_AGENTS`, also where
 * they are missing. Rejects with Problem `bad_setting` where `reads` of one would show a private folder.
 */
export const openProgramAgents = (
  config: Config,
  needs: Needs,
): { adapters: () => Promise<AgentAdapter[]>; close: () => Promise<void> } => {
  const { hasModel, brokered, close } = createBrokerHost(config, needs)
  const missingSettings = ({ providers }: AgentProgram) =>
    providers.some(hasModel) ? [] : providers.map((kind) => variable(kind, 'apiKey'))
  const inHost = async (program: AgentProgram) => {
    const search = searchProgram(program.command, { PATH: config.PATH, privateFolders: needs.privateFolders })
    await search.look()
    return {
      ...needs,
      search,
      missingSettings: () => missingSettings(program),
      providers: () => program.providers.filter(hasModel),
      ...(program.providers.length > 0 && { brokered }),
    }
  }
  const adapters = async () => {
    await refusePrivateReads(config, needs.privateFolders)
    const { ACP_AGENTS, COMMAND_AGENTS } = config
    return Promise.all([
      ...acpPrograms(ACP_AGENTS, COMMAND_AGENTS).map(async (program) =>
        createAcpAgent(program, await inHost(program)),
      ),
      ...commandPrograms(COMMAND_AGENTS).map(async (program) =>
        createCommandAgent(program, await inHost(program)),
      ),
    ])
  }
  return { adapters, close }
}
