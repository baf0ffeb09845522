import { codingAgentFacts } from '../adapters/agents/coding/facts.ts'
import { loadAgents } from '../adapters/agents/load.ts'
import { openSsm } from '../adapters/aws/clients.ts'
import { listSecrets } from '../adapters/aws/secrets.ts'
import { createClock } from '../adapters/node/clock.ts'
import { type AuthContext, type AuthPorts, createAuthContext } from '../composition/auth.ts'
import { composeWork, type Work, type WorkPorts } from '../composition/work.ts'
import {
  families,
  isConfigured,
  PROVIDER_KINDS,
  type ProviderSettings,
  variable,
} from '../config/families.ts'
import type { Config } from '../config.ts'
import type { Gateway } from '../gateway/service.ts'
import { createRequestMetrics } from '../health/request-metrics.ts'
import type { Health } from '../health/service.ts'
import type { Handlers, Routes } from '../http/route.ts'
import type { AgentAdapter } from '../ports/agent.ts'
import type { Blobs } from '../ports/blobs.ts'
import type { Clock } from '../ports/clock.ts'
import type { Open } from './cloud-function.ts'
import { openBasePorts, openWorkPorts, type Sending, withoutSending } from './cloud-ports.ts'
import { openHealth } from './health.ts'

type Given = { auth: AuthContext; ports: AuthPorts; config: Config }

/**
 * Opens a function whose handlers need no tasks: without queues it starts faster. `blobsOf` is for rows with long texts.
 */
export const openGroup =
  <R extends Routes>(
    handlersOf: (given: Given) => Handlers<R>,
    blobsOf?: (config: Config) => Blobs,
  ): Open<R> =>
  (config) => {
    const ports = openBasePorts(config, blobsOf?.(config))
    const auth = createAuthContext(ports, config)
    const handlers = handlersOf({ auth, ports, config })
    return { auth, ports, requests: createRequestMetrics(ports), handlers }
  }

type Served = AuthContext & Work & { health: Health; ports: AuthPorts & Pick<WorkPorts, 'feed' | 'breakers'> }

/** Opens a function whose handlers need tasks. */
export const openWork =
  <R extends Routes>(
    handlersOf: (served: Served) => Handlers<R>,
    sendingOf: (config: Config) => Sending = () => withoutSending,
  ): Open<R> =>
  async (config) => {
    const adapters = await describeAgents(config)
    const ports = { ...openWorkPorts(config, sendingOf(config)), adapters }
    const auth = createAuthContext(ports, config)
    const work = composeWork(auth, ports, config)
    const requests = createRequestMetrics(ports)
    const health = openHealth({ ports, domains: work, requests })
    return { auth, ports, requests, handlers: handlersOf({ ...auth, ...work, health, ports }) }
  }

/**
 * How long a request may wait for its task, or for the first byte of a model's answer: in functions behind the HTTP API,
 * which end after 29 s, and in the streaming one, which the distribution abandons after two minutes of silence. The write
 * of the task or the turn is not included.
 */
export const LONGEST_WAIT_MS = { function: 20_000, streaming: 105_000 } as const

/** The gateway in a function: before the HTTP API gives up, the caller gets the state of the task. */
export const waitingAtMost = <G extends Pick<Gateway, 'waitFor'>>(longestMs: number, gateway: G): G => ({
  ...gateway,
  waitFor: (taskId: string, forMs: number, signal?: AbortSignal) =>
    gateway.waitFor(taskId, Math.min(forMs, longestMs), signal),
})

/** The agents as functions without them know them: by their facts, and whether they are configured. */
export const describeAgents = (config: Config): Promise<AgentAdapter[]> => {
  const { configured, look } = createProviderCheck(config, createClock())
  const codingAgent: AgentAdapter = {
    ...codingAgentFacts,
    configured,
    healthCheck: async () => {
      await look()
      return configured() ? { healthy: true } : { healthy: false, message: 'No model provider is configured' }
    },
    execute: async () => {
      throw new Error('Agents run in the worker function')
    },
  }
  return loadAgents(codingAgent, config)
}

/** A stored or removed key shows within this time. */
const LOOK_AGAIN_MS = 60_000

/** The settings that configure a provider. The size of a context window is not one. */
const FIELDS = Object.keys(families.providers.schema.shape).filter((field) => field !== 'contextTokens')

const variables: ReadonlySet<string> = new Set(
  PROVIDER_KINDS.flatMap((kind) => FIELDS.map((field) => variable(kind, field))),
)

const isNamed = ({ contextTokens: _, ...rest }: ProviderSettings): boolean => isConfigured(rest)

/**
 * Whether the worker function has a model provider, for functions other than the worker: by the settings that all
 * functions get, or by the names of parameters whose values only the worker may read.
 */
export const createProviderCheck = (config: Config, clock: Pick<Clock, 'monotonic'>) => {
  const { SECRETS_PATH: path, AWS_REGION: region } = config
  // Emulators have the demo model.
  const isGiven = config.DYNAMODB_ENDPOINT !== undefined || Object.values(config.providers).some(isNamed)
  let isStored = false
  let lookAgainAt = 0
  return {
    /** By the result of the last look. */
    configured: (): boolean => isGiven || isStored,
    /** Looks once a minute. Rejects when it fails. */
    look: async (): Promise<void> => {
      if (isGiven || path === undefined || clock.monotonic() < lookAgainAt) return
      const names = await listSecrets(await openSsm({ region }), path)
      isStored = names.some((name) => variables.has(name))
      lookAgainAt = clock.monotonic() + LOOK_AGAIN_MS
    },
  }
}
