import type * as z from 'zod'
import { dollars } from '../core/cost.ts'
import { getOrCreate } from '../core/get-or-create.ts'
import { createHistogram, type Histogram } from '../core/histogram.ts'
import { iso, utcDay, utcMonth } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Counters, Store } from '../ports/store.ts'
import type { AnalyticsQuery, AnalyticsSchema, WindowSchema } from './contract.ts'
import { readCosts, readMonth } from './cost-counters.ts'
import { DAILY_COUNTERS, OTHER_AGENTS, readTaskCounters, byStatus as statuses, under } from './counters.ts'
import type { AgentChoice } from './create.ts'
import { HAPPENINGS, type Happening, type HourlyCount, QUARTER_MS, readHourly } from './hourly-counters.ts'
import { type Span, windowParts } from './windows.ts'

const DAYS = 30
const DAY_MS = 86_400_000

/** Statistics of all stored tasks, and of the window of the query, read from counters. Rates are 0 to 1. */
export const createAnalytics =
  ({ store, clock, agents }: { store: Store; clock: Clock; agents: AgentChoice }) =>
  async (query: AnalyticsQuery = {}): Promise<z.output<typeof AnalyticsSchema>> => {
    const firstDay = utcDay(iso(clock.now() - (DAYS - 1) * DAY_MS))
    const types = (await Promise.all([agents.types(), agents.offered()])).flat()
    const countedName = (agent: string) => (types.includes(agent) ? agent : OTHER_AGENTS)
    const [counters, costs, { microUsdByAgent, ...month }, days, recent] = await Promise.all([
      readTaskCounters(store),
      readCosts(store),
      readMonth(store, utcMonth(iso(clock.now()))),
      store.counters(DAILY_COUNTERS, firstDay),
      (query.window ?? query.timezone) ? readWindow(store, clock.now(), query, countedName) : undefined,
    ])
    const byStatus = statuses(counters)
    return {
      totalTasks: counters.total ?? 0,
      completedTasks: byStatus.completed ?? 0,
      failedTasks: byStatus.failed ?? 0,
      pendingTasks: byStatus.pending ?? 0,
      inProgressTasks: byStatus.in_progress ?? 0,
      cancelledTasks: byStatus.cancelled ?? 0,
      ...rates(byStatus.completed ?? 0, byStatus.failed ?? 0),
      ...durations(counters),
      byStatus,
      byPriority: under(counters, 'priority'),
      bySource: under(counters, 'source'),
      byAgent: byRegisteredAgent(under(counters, 'agent'), countedName),
      costUsd: dollars(counters.microUsd ?? 0),
      unknownCostTasks: counters.unknownCost ?? 0,
      costByAgent: inDollars(byRegisteredAgent(under(counters, 'microUsd'), countedName)),
      ...costs,
      month: { ...month, costByAgent: inDollars(byRegisteredAgent(microUsdByAgent, countedName)) },
      daily: Object.entries(days).map(([date, { created = 0, completed = 0, failed = 0, spent = 0 }]) => ({
        date,
        created,
        completed,
        failed,
        costUsd: dollars(spent),
      })),
      ...(recent ? { recent } : {}),
    }
  }

/** Agents that are not registered count together, so that the answer has at most one entry more than there are agents. */
const byRegisteredAgent = (counts: Record<string, number>, countedName: (agent: string) => string) => {
  const byAgent: Record<string, number> = {}
  for (const [name, count] of Object.entries(counts)) {
    const agent = countedName(name)
    byAgent[agent] = (byAgent[agent] ?? 0) + count
  }
  return byAgent
}

const inDollars = (costs: Record<string, number>): Record<string, number> =>
  Object.fromEntries(Object.entries(costs).map(([name, microUsd]) => [name, dollars(microUsd)]))

const rates = (completed: number, failed: number) => {
  const ended = completed + failed
  return { successRate: ended ? completed / ended : 0, failureRate: ended ? failed / ended : 0 }
}

const durations = ({ durationCount, durationMs = 0, leastDurationMs = 0, mostDurationMs = 0 }: Counters) => ({
  avgDurationMs: durationCount ? durationMs / durationCount : 0,
  minDurationMs: leastDurationMs,
  maxDurationMs: mostDurationMs,
})

/** The statistics of a window, by parts and agents. It reads one counter for each agent and hour of the window. */
const readWindow = async (
  store: Store,
  now: number,
  { window = '24h', timezone = 'UTC' }: AnalyticsQuery,
  countedName: (agent: string) => string,
): Promise<z.output<typeof WindowSchema>> => {
  const parts = windowParts(window, timezone, now)
  const [from, to] = [parts[0]?.from ?? now, parts.at(-1)?.to ?? now]
  // A window of five-minute parts may begin within a quarter, whose waits and runs count whole; in other windows each
  // part is whole quarters.
  const counts = (await readHourly(store, iso(from))).filter(
    (count) => slotEnd(count) > from && count.at < to,
  )
  const agents = Map.groupBy(counts, ({ agent }) => countedName(agent))
  return {
    window,
    timezone,
    from: iso(from),
    to: iso(to),
    buckets: buckets(parts, counts),
    ...waitAndRun(counts),
    byAgent: Object.fromEntries(
      [...agents].map(([agent, own]) => [agent, { ...happeningSums(own), ...waitAndRun(own) }]),
    ),
  }
}

const slotEnd = (count: HourlyCount): number => ('bucket' in count ? count.at + QUARTER_MS : count.at + 1)

const happeningSums = (counts: readonly HourlyCount[]) => {
  const sums = Object.fromEntries(HAPPENINGS.map((what) => [what, 0])) as Record<Happening, number>
  for (const one of counts) if (!('bucket' in one)) sums[one.what] += one.count
  return sums
}

const buckets = (parts: readonly Span[], counts: readonly HourlyCount[]) => {
  const byPart = Map.groupBy(counts, ({ at }) => parts.findIndex(({ from, to }) => from <= at && at < to))
  return parts.map(({ from, to }, n) => ({
    from: iso(from),
    to: iso(to),
    ...happeningSums(byPart.get(n) ?? []),
  }))
}

const waitAndRun = (counts: readonly HourlyCount[]) => {
  const histograms = new Map<string, Histogram>()
  for (const one of counts)
    if ('bucket' in one) getOrCreate(histograms, one.what, createHistogram).add(one.bucket, one.count)
  return { wait: percentiles(histograms.get('wait')), run: percentiles(histograms.get('run')) }
}

const percentiles = (histogram: Histogram | undefined) => {
  const [p50Ms, p95Ms] = [0.5, 0.95].map((q) => histogram?.quantile(q))
  if (histogram === undefined || p50Ms === undefined || p95Ms === undefined) return { count: 0 }
  return { count: histogram.count, p50Ms: Math.round(p50Ms), p95Ms: Math.round(p95Ms) }
}
