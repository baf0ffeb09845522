import type { Masker } from '../core/masker.ts'
import { iso } from '../core/time.ts'
import type { AgentAdapter } from '../ports/agent.ts'
import type { Breakers } from '../ports/breaker.ts'
import type { Clock } from '../ports/clock.ts'
import { createHealthCheck } from './health-check.ts'
import type { Agent } from './schema.ts'

/** What the runs of one agent came to so far. `lastAt` is epoch milliseconds: the last completion or failure. */
type AgentStats = {
  completed: number
  failed: number
  durationMs: number
  lastAt?: number | undefined
}

type Needs = {
  adapters: readonly AgentAdapter[]
  stats: () => Promise<(type: string) => AgentStats>
  breakers: Breakers
  clock: Clock
  masker: Masker
}

export type Agents = ReturnType<typeof createAgents>

/** The registered execution backends. */
export const createAgents = ({ adapters, stats, breakers, clock, masker }: Needs) => {
  const registry = new Map(adapters.map((adapter) => [adapter.type, adapter]))
  const check = createHealthCheck({ breakers, clock, masker })

  const describe = async (
    adapter: AgentAdapter,
    { completed, failed, durationMs, lastAt }: AgentStats,
  ): Promise<Agent> => {
    const { healthy, latencyMs, message } = await check(adapter)
    return masker.data({
      type: adapter.type,
      name: adapter.name,
      description: adapter.description,
      capabilities: [...adapter.capabilities],
      configured: isConfigured(adapter),
      healthy,
      health: {
        ...(latencyMs === undefined ? {} : { latencyMs }),
        ...(message === undefined ? {} : { message }),
        lastChecked: iso(clock.now()),
      },
      ...(lastAt === undefined ? {} : { lastActivity: iso(lastAt) }),
      stats: { completed, failed, avgDuration: completed ? durationMs / completed : 0 },
    })
  }

  return {
    get: (type: string): AgentAdapter | undefined => registry.get(type),
    types: (): string[] => [...registry.keys()],
    /** Checks every adapter's health now, all at once. */
    list: async (): Promise<Agent[]> => {
      const statsOf = await stats()
      return Promise.all([...registry.values()].map((adapter) => describe(adapter, statsOf(adapter.type))))
    },
  }
}

/** An adapter that cannot even say so is not configured; the list of the others must not fail with it. */
const isConfigured = (adapter: AgentAdapter): boolean => {
  try {
    return adapter.configured?.() ?? true
  } catch {
    return false
  }
}
