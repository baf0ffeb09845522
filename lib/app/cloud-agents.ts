import { acpFacts, acpPrograms } from '../adapters/agents/acp/catalog.ts'
import { codingAgentFacts } from '../adapters/agents/coding/facts.ts'
import { commandFacts, commandPrograms } from '../adapters/agents/command/catalog.ts'
import { lazyAgents } from '../adapters/agents/load.ts'
import { openSsm } from '../adapters/aws/clients.ts'
import { listSecrets } from '../adapters/aws/secrets.ts'
import { createClock } from '../adapters/node/clock.ts'
import { noWorkspaces } from '../adapters/node/no-workspaces.ts'
import type { AgentHost, Ports } from '../composition/ports.ts'
import type { Config } from '../config/config.ts'
import {
  families,
  isConfigured,
  PROVIDER_KINDS,
  type ProviderSettings,
  variable,
} from '../config/families.ts'
import { taskFailure } from '../core/task-failure.ts'
import type { StoredKeys } from '../model-keys/stored-keys.ts'
import type { AgentAdapter } from '../ports/agent.ts'
import type { Clock } from '../ports/clock.ts'

const inTheContainer = (): never => {
  throw new Error('Agents and models run in the worker and streaming functions')
}

const elsewhere = async (): Promise<never> => inTheContainer()

/** The agents as other functions than the container's know them: by their facts, and whether they are configured. */
export const describeAgents = (
  config: Config,
  modelKeys?: Pick<StoredKeys, 'isAnyStored'>,
): (() => Promise<AgentAdapter[]>) => {
  const { configured, look } = createProviderCheck(config, createClock(), modelKeys)
  const codingAgent: AgentAdapter = {
    ...codingAgentFacts,
    configured,
    healthCheck: async () => {
      await look()
      return configured() ? { healthy: true } : { healthy: false, message: 'No model provider is configured' }
    },
    execute: elsewhere,
  }
  return lazyAgents(async () => [codingAgent, ...programsElsewhere(config)], config)
}

const NO_PROGRAMS =
  'Functions cannot run agent programs. This agent needs the service as one process, or a runner'

/** Agents that are programs, as functions know them: they are there, and cannot work. */
export const programsElsewhere = ({ ACP_AGENTS, COMMAND_AGENTS }: Config): AgentAdapter[] => {
  const acp = acpPrograms(ACP_AGENTS, COMMAND_AGENTS).map(acpFacts)
  const commands = commandPrograms(COMMAND_AGENTS).map(commandFacts)
  return [...acp, ...commands].map((facts) => ({
    ...facts,
    configured: () => false,
    healthCheck: async () => ({ healthy: false, message: NO_PROGRAMS }),
    execute: () => Promise.reject(taskFailure('unavailable', 'agent_not_configured', NO_PROGRAMS, false)),
  }))
}

/** Models, agents and workspaces run elsewhere. */
export const openAgentsElsewhere = (config: Config, { modelKeys }: Pick<Ports, 'modelKeys'>): AgentHost => {
  const adapters = describeAgents(config, modelKeys)
  return {
    models: {
      providers: () => [],
      resolve: inTheContainer,
      step: inTheContainer,
      models: elsewhere,
      contextTokens: inTheContainer,
      health: elsewhere,
      checkKey: elsewhere,
    },
    openAgents: () => ({
      adapters,
      runProgram: elsewhere,
      workspaces: noWorkspaces(elsewhere),
    }),
  }
}

const LOOK_AGAIN_MS = 60_000

/** The settings that configure a provider. The size of a context window is not one. */
const FIELDS = Object.keys(families.providers.schema.shape).filter((field) => field !== 'contextTokens')

const variables: ReadonlySet<string> = new Set(
  PROVIDER_KINDS.flatMap((kind) => FIELDS.map((field) => variable(kind, field))),
)

const isNamed = ({ contextTokens: _, ...rest }: ProviderSettings): boolean => isConfigured(rest)

/**
 * Whether the worker has a model provider: by the settings of all functions, by names of its parameters, or by a key that
 * an admin has stored, which is not opened.
 */
export const createProviderCheck = (
  config: Config,
  clock: Pick<Clock, 'monotonic'>,
  modelKeys?: Pick<StoredKeys, 'isAnyStored'>,
) => {
  const { SECRETS_PATH: path, AWS_REGION: region } = config
  const isGiven = Object.values(config.providers).some(isNamed)
  const hasDemoModel = config.DYNAMODB_ENDPOINT !== undefined
  let isParameter = false
  let isStored = false
  let lookAgainAt = 0
  const lookForParameters = async (): Promise<void> => {
    if (hasDemoModel || path === undefined || clock.monotonic() < lookAgainAt) return
    const names = await listSecrets(await openSsm({ region }), path)
    isParameter = names.some((name) => variables.has(name))
    lookAgainAt = clock.monotonic() + LOOK_AGAIN_MS
  }
  return {
    configured: (): boolean => isGiven || hasDemoModel || isParameter || isStored,
    /** Looks for stored keys, and once a minute for parameters. Rejects when it fails. */
    look: async (): Promise<void> => {
      isStored = (await modelKeys?.isAnyStored()) ?? false
      if (!isGiven) await lookForParameters()
    },
  }
}
