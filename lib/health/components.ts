import type { DlqCounts } from '../queue/schema.ts'
import {
  type AdapterHealth,
  type BreakerReading,
  type Components,
  HEALTH_STATUSES,
  type HealthStatus,
  type RunnerReading,
} from './schema.ts'

type Verdict = { status: HealthStatus; message: string }

/** The numbers from which a component is degraded, and unhealthy. */
export const thresholds = {
  queue: { degraded: 101, unhealthy: 501 },
  deadLetterQueue: { degraded: 10, unhealthy: 50 },
} as const

const statusAt = (count: number, { degraded, unhealthy }: { degraded: number; unhealthy: number }) => {
  if (count >= unhealthy) return 'unhealthy'
  return count >= degraded ? 'degraded' : 'healthy'
}

export const worst = (statuses: readonly HealthStatus[]): HealthStatus =>
  HEALTH_STATUSES.findLast((status) => statuses.includes(status)) ?? 'healthy'

type Of<Name extends keyof Components> = Omit<Components[Name], 'lastChecked'>

/** The health of the queue by its depth: tasks that are pending, queued or in progress. */
export const queueHealth = (counts: Readonly<Record<string, number>>): Of<'queue'> => {
  const { pending = 0, queued = 0, in_progress: inProgress = 0, failed = 0 } = counts
  const totalActive = pending + queued + inProgress
  return {
    status: statusAt(totalActive, thresholds.queue),
    message: `${totalActive} active tasks`,
    details: { pending, queued, inProgress, failed, totalActive },
  }
}

export const deadLettersHealth = ({ pending, resolved, discarded, total }: DlqCounts) =>
  ({
    status: statusAt(pending, thresholds.deadLetterQueue),
    message: `${pending} pending`,
    details: { pending, resolved, discarded, total },
  }) satisfies Of<'deadLetterQueue'>

/** The health of the agents: unhealthy when none works, degraded when some do not, or there are none. */
export const adaptersHealth = (adapters: readonly AdapterHealth[]): Of<'adapters'> => ({
  ...adaptersVerdict(adapters.length, adapters.filter(({ healthy }) => healthy).length),
  adapters: adapters.map(({ type, name, healthy, latencyMs }) => ({ type, name, healthy, latencyMs })),
})

const adaptersVerdict = (all: number, healthy: number): Verdict => {
  if (all === 0) return { status: 'degraded', message: 'No agents are registered' }
  const message = `${healthy} of ${all} agents are healthy`
  if (healthy === 0) return { status: 'unhealthy', message }
  return { status: healthy < all ? 'degraded' : 'healthy', message }
}

export type Runs = {
  /** Whether the service runs tasks itself, and the agents that it can run them with. */
  worker: 'on' | 'off'
  ownAgents: readonly string[]
  runners: readonly RunnerReading[]
}

/** What runs tasks: degraded while neither the service nor a runner can. A runner that is away is no fault by itself. */
export const runnersHealth = ({ worker, ownAgents, runners }: Runs): Of<'runners'> => {
  const online = runners.filter(({ status }) => status === 'online').length
  const runsItself = worker === 'on' && ownAgents.length > 0
  const canRun = runsItself || online > 0
  return {
    status: canRun ? 'healthy' : 'degraded',
    message: canRun ? runsMessage(runners.length, online) : `No task can run: ${whyNone(worker)}`,
    canRun,
    worker,
    runners: [...runners],
  }
}

const runsMessage = (all: number, online: number): string =>
  all === 0 ? 'The service runs tasks itself' : `${online} of ${all} runners take tasks`

const whyNone = (worker: Runs['worker']): string =>
  worker === 'off'
    ? 'the service does not run tasks (WORKER=off), and no runner is available'
    : 'no agent is set up, and no runner is available'

/** The health of the circuit breakers: degraded while one is open. A half-open one has not failed again yet. */
export const breakersHealth = (breakers: readonly BreakerReading[]): Of<'circuitBreakers'> => {
  const open = breakers.filter(({ state }) => state === 'OPEN').map(({ name }) => name)
  return {
    status: open.length > 0 ? 'degraded' : 'healthy',
    message: open.length > 0 ? `Open: ${open.join(', ')}` : 'All circuits are closed',
    // Breakers have these fields as getters; an answer needs values.
    breakers: breakers.map(({ name, state, failures, successes }) => ({ name, state, failures, successes })),
  }
}
