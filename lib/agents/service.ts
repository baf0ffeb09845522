import type { AttemptLimit } from '../core/attempt-limit.ts'
import { within } from '../core/deadline.ts'
import { definedFields } from '../core/defined-fields.ts'
import { errorMessage, Problem } from '../core/errors.ts'
import type { Masker } from '../core/masker.ts'
import { durationText, iso } from '../core/time.ts'
import type { AgentAdapter, AgentHealth, MissingParts } from '../ports/agent.ts'
import type { Breakers } from '../ports/breaker.ts'
import type { Clock } from '../ports/clock.ts'
import type { Agent } from './schema.ts'

const LONGEST_CHECK_MS = 5_000

type HealthCheckNeeds = { breakers: Breakers; clock: Clock; masker: Masker }

/** Checks an adapter within five seconds, behind a circuit breaker of its own. Never rejects. */
const createHealthCheck = ({ breakers, clock, masker }: HealthCheckNeeds) => {
  const ask = (agent: AgentAdapter, isFresh: boolean) =>
    breakers
      .of(`agent:${agent.type}`)
      .run(() => within(clock, LONGEST_CHECK_MS, () => askHealth(agent, isFresh, masker), noAnswer))

  return async (agent: AgentAdapter, isFresh: boolean): Promise<AgentHealth> => {
    const startedAt = clock.monotonic()
    try {
      const health = await ask(agent, isFresh)
      const latencyMs = Math.round(health.latencyMs ?? clock.monotonic() - startedAt)
      return { ...health, healthy: health.healthy === true, latencyMs }
    } catch (thrown) {
      return { healthy: false, message: errorMessage(thrown, 300) }
    }
  }
}

const askHealth = async (agent: AgentAdapter, isFresh: boolean, { text }: Masker): Promise<AgentHealth> => {
  try {
    return await agent.healthCheck({ isFresh })
  } catch (cause) {
    throw new Problem('unavailable', 'health_check_failed', errorMessage(cause, 300, text), { cause })
  }
}

const noAnswer = () => {
  const message = `The health check got no response within ${durationText(LONGEST_CHECK_MS)}`
  return new Problem('unavailable', 'health_check_timeout', message)
}

/** The results of an agent's runs. `lastAt` is epoch milliseconds: the latest completion or failure. */
type AgentStats = {
  completed: number
  failed: number
  durationMs: number
  lastAt?: number | undefined
}

type OfferedAgent = {
  type: string
  name?: string | undefined
  description?: string | undefined
  version?: string | undefined
  canResume?: boolean | undefined
  timeoutMs?: number | undefined
}
type Offer = { readonly name: string; readonly lastSeenAt: string; readonly agents: readonly OfferedAgent[] }

type Needs = {
  adapters: () => Promise<readonly AgentAdapter[]>
  stats: () => Promise<(type: string) => AgentStats>
  attemptLimit: (agent: Pick<AgentAdapter, 'type' | 'timeoutMs'>) => AttemptLimit
  maxCostUsd?: number | undefined
  /** The type that runs tasks which name no agent. */
  defaultType: string
  /** Whether the service runs tasks itself. */
  worker: 'on' | 'off'
  /** The runners that take tasks, with the agents that they have. */
  runners: () => Promise<readonly Offer[]>
  /** All runners that are registered, whether they take tasks or not. */
  registered: () => Promise<readonly Offer[]>
  breakers: Breakers
  clock: Clock
  masker: Masker
}

export type Agents = ReturnType<typeof createAgents>

/** The registered execution backends. */
export const createAgents = (needs: Needs) => {
  const {
    adapters,
    stats,
    attemptLimit,
    maxCostUsd,
    defaultType,
    worker,
    runners,
    registered,
    breakers,
    clock,
    masker,
  } = needs
  const check = createHealthCheck({ breakers, clock, masker })

  const describe = async (
    adapter: AgentAdapter,
    { completed, failed, durationMs, lastAt }: AgentStats,
    isFresh: boolean,
    offers: readonly Offer[],
    onRunners: ReadonlySet<string>,
  ): Promise<Agent> => {
    const runnable = isConfigured(adapter)
    const isLeft = isDemo(adapter) && onRunners.has(adapter.type)
    const inService = runnable && worker === 'on' && !isLeft
    const having = offers.filter((offer) => offeredIn(offer, adapter.type))
    // What the service does not run itself, runners have made known as what they can run.
    const isElsewhere = !inService && having.length > 0
    const its = isElsewhere ? offeredHealth(adapter.type, having) : await check(adapter, isFresh)
    const { healthy, latencyMs, message, version, checkedAt } = its
    const configured = runnable || having.length > 0
    return masker.data({
      type: adapter.type,
      name: adapter.name,
      description: adapter.description,
      capabilities: [...adapter.capabilities],
      family: adapter.family ?? 'module',
      version,
      canResume: adapter.canResume === true,
      timeoutMs: attemptLimit(adapter).ms,
      providers: knownProviders(adapter),
      maxCostUsd,
      isDefault: adapter.type === defaultType,
      configured,
      ...(configured ? {} : missingParts(adapter)),
      healthy,
      health: { latencyMs, message, lastChecked: iso(checkedAt ?? clock.now()) },
      lastActivity: lastAt === undefined ? undefined : iso(lastAt),
      inService,
      runners: having.map(({ name }) => name),
      stats: toStats({ completed, failed, durationMs }),
    })
  }

  /** An agent that only runners have, as the one that was heard of last tells it. */
  const describeOffered = (type: string, offers: readonly Offer[], stats: AgentStats): Agent => {
    const having = offers.filter((offer) => offeredIn(offer, type))
    const latest = heardLast(having)
    const {
      name = type,
      description = '',
      version,
      canResume,
      timeoutMs,
    } = (latest && offeredIn(latest, type)) ?? { type }
    return {
      type,
      name,
      description,
      capabilities: [],
      family: 'runner',
      ...definedFields({ version, maxCostUsd }),
      canResume: canResume === true,
      timeoutMs: timeoutMs ?? attemptLimit({ type }).ms,
      isDefault: type === defaultType,
      configured: true,
      healthy: true,
      health: { lastChecked: latest?.lastSeenAt ?? iso(clock.now()) },
      ...(stats.lastAt !== undefined && { lastActivity: iso(stats.lastAt) }),
      inService: false,
      runners: having.map(({ name }) => name),
      stats: toStats(stats),
    }
  }

  const offeredTypes = (offers: readonly Offer[]): string[] => [
    ...new Set(offers.flatMap(({ agents }) => agents.map(({ type }) => type))),
  ]

  return {
    get: async (name: string): Promise<AgentAdapter | undefined> =>
      (await adapters()).find(({ type }) => type === name),
    types: async (): Promise<string[]> => (await adapters()).map(({ type }) => type),
    /** The types of the agents that runners have. */
    offered: async (): Promise<string[]> => offeredTypes(await runners()),
    /** The name of each type, of the service and of runners. */
    names: async (): Promise<Record<string, string>> => {
      const offered = (await runners()).flatMap(({ agents }) => agents)
      const named = [...offered, ...(await adapters())]
      return masker.data(Object.fromEntries(named.map(({ type, name = type }) => [type, name])))
    },
    /** The types of those that can work by their settings. */
    configuredTypes: async (): Promise<string[]> =>
      (await adapters()).filter(isConfigured).map(({ type }) => type),
    /**
     * The types that the service runs itself although runners have them: no agent on the demo model, since the same one
     * of a runner has a real one.
     */
    ownTypes: async (): Promise<string[]> =>
      (await adapters()).filter((one) => isConfigured(one) && !isDemo(one)).map(({ type }) => type),
    /** Checks the health of every adapter, all at once; with `isFresh` also of those whose last check still counts. */
    list: async ({ isFresh = false }: { isFresh?: boolean } = {}): Promise<Agent[]> => {
      const [own, readStats, offers, all] = await Promise.all([adapters(), stats(), runners(), registered()])
      const onRunners = new Set(offeredTypes(all))
      const described = await Promise.all(
        own.map((adapter) => describe(adapter, readStats(adapter.type), isFresh, offers, onRunners)),
      )
      const isOwn = new Set(own.map(({ type }) => type))
      const others = offeredTypes(offers).filter((type) => !isOwn.has(type))
      return [...described, ...others.map((type) => describeOffered(type, offers, readStats(type)))]
    },
  }
}

const offeredIn = ({ agents }: Offer, type: string): OfferedAgent | undefined =>
  agents.find((agent) => agent.type === type)

/** Of the runners that have an agent, the one that was heard of last. */
const heardLast = (having: readonly Offer[]): Offer | undefined =>
  [...having].sort((a, b) => (a.lastSeenAt < b.lastSeenAt ? 1 : -1))[0]

/** The health of an agent that runners have: they make known only what can work. */
const offeredHealth = (type: string, having: readonly Offer[]): AgentHealth => {
  const latest = heardLast(having)
  return {
    healthy: true,
    ...definedFields({
      version: latest && offeredIn(latest, type)?.version,
      checkedAt: latest && Date.parse(latest.lastSeenAt),
    }),
  }
}

const toStats = ({ completed, failed, durationMs }: AgentStats): Agent['stats'] => ({
  completed,
  failed,
  avgDuration: completed ? durationMs / completed : 0,
})

/** Undefined where an adapter needs none, or cannot say: a provider that is not configured may be refused. */
const knownProviders = (adapter: AgentAdapter): string[] | undefined => {
  try {
    return adapter.providers && [...adapter.providers()]
  } catch {
    return undefined
  }
}

/** Whether a script answers in place of a model. */
const isDemo = (adapter: AgentAdapter): boolean => knownProviders(adapter)?.includes('demo') === true

const missingParts = (adapter: AgentAdapter): Pick<Agent, 'install' | 'missingSettings'> => {
  const { install, missingSettings }: MissingParts = adapter.missing?.() ?? {}
  return { install, missingSettings: missingSettings && [...missingSettings] }
}

/** An adapter whose check throws counts as not configured, so that the list of the others does not fail. */
const isConfigured = (adapter: AgentAdapter): boolean => {
  try {
    return adapter.configured?.() ?? true
  } catch {
    return false
  }
}
