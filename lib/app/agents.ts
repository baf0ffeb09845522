import { createCodingAgent } from '../adapters/agents/coding/agent.ts'
import { lazyAgents } from '../adapters/agents/load.ts'
import { createCodeHost } from '../adapters/code-host/code-host.ts'
import { startDemoModel } from '../adapters/models/demo/server.ts'
import { createModels, type ModelNeeds } from '../adapters/models/models.ts'
import { withStoredKeys } from '../adapters/models/resolve.ts'
import { createGit } from '../adapters/node/git.ts'
import { createProviderFetch } from '../adapters/node/provider-fetch.ts'
import { tracedFetch } from '../adapters/node/tracing.ts'
import { createWorkspaces } from '../adapters/node/workspace.ts'
import { createPrices } from '../adapters/prices/prices.ts'
import type { AgentHost, Agents, AgentVerbs, Ports } from '../composition/ports.ts'
import type { Config } from '../config/config.ts'
import { badSetting } from '../core/bad-setting.ts'
import { errorMessage } from '../core/errors.ts'
import type { StoredKeys } from '../model-keys/stored-keys.ts'
import { providerApiUrl } from '../oauth/catalog.ts'
import type { Entropy } from '../ports/entropy.ts'
import type { Models } from '../ports/model.ts'
import type { Prices } from '../ports/prices.ts'
import type { ProviderLimits } from '../ports/provider-limits.ts'
import type { Repositories } from '../ports/repositories.ts'
import { programsElsewhere } from './cloud-agents.ts'
import { openProgramAgents } from './program-agents.ts'
import { openPrograms, type Programs, privateFolders, type SandboxHealth } from './sandbox.ts'

type ModelPorts = Pick<Ports, 'breakers' | 'clock' | 'log' | 'masker'> & { limits: ProviderLimits }

type Needs = ModelPorts & {
  config: Config
  workspacesDir: string
  /** The port of the service, which programs of agents cannot reach. */
  port?: () => number | undefined
  repositories: Repositories
  entropy: Entropy
  /** The keys that admins have stored. */
  modelKeys: Pick<StoredKeys, 'current' | 'onChange' | 'refresh'>
  /** Whether it cannot work without a model: it then refuses to open where there is none, and no demo model either. */
  requiresModel?: boolean
  /** Whether the demo model answers where no provider is configured; true when absent. */
  hasDemoModel?: boolean
}

type OpenedHost = AgentHost &
  Pick<Programs, 'isolation'> & { sandbox: SandboxHealth; close: () => Promise<void> }

/** The models of the configured providers, and the coding agent and the configured modules, which call them. */
export const openAgentHost = async (needs: Needs): Promise<OpenedHost> => {
  const { config } = needs
  const programs = await openPrograms({ ...needs, port: needs.port ?? (() => undefined) })
  const prices = createPrices(needs)
  const { models, close } = await openModels(config, { ...needs, prices })
  let closeAgents: () => Promise<void> = async () => undefined
  return {
    models,
    openAgents: (verbs) => {
      const agents = openAgents({ ...needs, ...verbs, prices }, programs)
      closeAgents = agents.close
      return agents
    },
    sandbox: programs.health,
    isolation: programs.isolation,
    close: async () => {
      await closeAgents()
      await close()
      await programs.close()
    },
  }
}

type ModelsNeeds = ModelPorts &
  Pick<Needs, 'modelKeys' | 'requiresModel' | 'hasDemoModel'> & { prices: Prices }

/**
 * Models of the configured providers: those of the environment, and those whose keys admins store. While there are none,
 * the demo model on loopback answers instead; a deployed service has no demo model.
 */
const openModels = async (
  config: Config,
  {
    breakers,
    clock,
    log,
    masker,
    limits,
    prices,
    modelKeys,
    requiresModel = false,
    hasDemoModel = true,
  }: ModelsNeeds,
) => {
  const settings = {
    providers: config.providers,
    fallbacks: config.FALLBACK_PROVIDERS,
    ...(config.DEFAULT_PROVIDER ? { default: config.DEFAULT_PROVIDER } : {}),
  }
  const guard = <T>(provider: string, call: () => Promise<T>) => breakers.of(`provider:${provider}`).run(call)
  const shared = { clock, log, masker, guard, limits, prices, fetch: tracedFetch }
  const isConfigured = openConfigured({ settings, ...shared })
    .providers()
    .some(({ configured }) => configured)
  if (!isConfigured && config.DEFAULT_PROVIDER) {
    throw badSetting(`DEFAULT_PROVIDER: ${config.DEFAULT_PROVIDER} is not configured; give it a key`)
  }
  // A function that opens while storage is down still takes its messages, which then come again; it reads the keys later.
  const areKeysRead = await modelKeys.refresh().then(
    () => true,
    (thrown) => {
      log.warn({ reason: errorMessage(thrown) }, 'the stored keys of models were not read')
      return false
    },
  )
  const isDeployed = config.SERVICE_MODE === 'pro' && config.DYNAMODB_ENDPOINT === undefined
  const hasStoredKey = Object.keys(modelKeys.current()).length > 0
  if (isDeployed && requiresModel && !isConfigured && areKeysRead && !hasStoredKey)
    throw badSetting(
      'ANTHROPIC_API_KEY: no model provider is configured, and a deployed service has no demo model',
    )
  // Stored keys come and go while the service runs; what the environment configures stays.
  const demo = isConfigured || isDeployed || !hasDemoModel ? undefined : await startDemoModel()
  const open = () =>
    createModels({
      settings: {
        ...settings,
        providers: withStoredKeys(config.providers, modelKeys.current()),
        ...(demo ? { demo: { baseUrl: demo.baseUrl } } : {}),
      },
      ...shared,
    })
  return {
    models: replaceableModels(open, modelKeys.onChange),
    close: async () => demo?.close(),
  }
}

/** Models that are opened again after a change. A step that has begun keeps the provider that it began with. */
const replaceableModels = (open: () => Models, onChange: StoredKeys['onChange']): Models => {
  let models = open()
  onChange(() => {
    models = open()
  })
  return {
    providers: () => models.providers(),
    resolve: (asked) => models.resolve(asked),
    step: (request) => models.step(request),
    models: (provider) => models.models(provider),
    contextTokens: (target) => models.contextTokens(target),
    health: (provider) => models.health(provider),
    checkKey: (provider, apiKey) => models.checkKey(provider, apiKey),
  }
}

const openConfigured = (needs: ModelNeeds): Models => {
  try {
    return createModels(needs)
  } catch (thrown) {
    throw badSetting(errorMessage(thrown))
  }
}

const openAgents = (
  { config, workspacesDir: dir, codeHost, ...needs }: Needs & AgentVerbs & { prices: Prices },
  { commands, owners }: Programs,
): Agents & { close: () => Promise<void> } => {
  const { clock, masker } = needs
  const git = createGit({ commands, caFile: config.GIT_SSL_CAINFO })
  const workspaces = createWorkspaces({ dir, clock, commands, git, owners })
  const apiUrl = providerApiUrl('codehost', config.accounts.codehost)
  const publication = {
    ...codeHost,
    codeHost: createCodeHost({ apiUrl, fetch: createProviderFetch(), clock }),
    mask: masker.text,
  }
  const codingAgent = createCodingAgent({
    ...needs,
    workspaces,
    git,
    maxBudget: config.TASK_MAX_BUDGET || undefined,
    approvalTtlMs: config.APPROVAL_TTL_MS,
    fallbacks: config.FALLBACK_PROVIDERS,
    publication,
  })
  const programs =
    config.SERVICE_MODE === 'pro'
      ? { adapters: async () => programsElsewhere(config), close: async () => undefined }
      : openProgramAgents(config, {
          ...needs,
          commands,
          workspaces,
          git,
          publication,
          approvalTtlMs: config.APPROVAL_TTL_MS,
          privateFolders: privateFolders(config, dir),
        })
  return {
    adapters: lazyAgents(async () => [codingAgent, ...(await programs.adapters())], config),
    close: programs.close,
    workspaces,
    runProgram: async (workspace, ...program) => (await workspaces.open(workspace)).run(...program),
  }
}
