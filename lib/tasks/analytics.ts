import type * as z from 'zod'
import { dayOf, iso } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Counters, Store } from '../ports/store.ts'
import type { AnalyticsAsked, AnalyticsSchema } from './contract.ts'
import { DAILY_COUNTERS, OTHER_AGENTS, byStatus as statuses, TASK_COUNTERS, under } from './counters.ts'
import type { AgentChoice } from './create.ts'
import { readWindow } from './window-analytics.ts'

const DAYS = 30
const DAY_MS = 86_400_000

/**
 * Statistics of all stored tasks, and of the asked window, read from counters. Rates are 0..1, as shares of the tasks
 * that ended.
 */
export const createAnalytics =
  ({ store, clock, agents }: { store: Store; clock: Clock; agents: AgentChoice }) =>
  async (asked: AnalyticsAsked = {}): Promise<z.output<typeof AnalyticsSchema>> => {
    const firstDay = dayOf(iso(clock.now() - (DAYS - 1) * DAY_MS))
    const types = agents.types()
    const nameOf = (agent: string) => (types.includes(agent) ? agent : OTHER_AGENTS)
    const [all, days, recent] = await Promise.all([
      store.counters(TASK_COUNTERS.counter),
      store.counters(DAILY_COUNTERS, firstDay),
      isAsked(asked) ? readWindow(store, clock.now(), asked, nameOf) : undefined,
    ])
    const counters = all[TASK_COUNTERS.member] ?? {}
    const byStatus = statuses(counters)
    return {
      totalTasks: counters.total ?? 0,
      completedTasks: byStatus.completed ?? 0,
      failedTasks: byStatus.failed ?? 0,
      pendingTasks: byStatus.pending ?? 0,
      inProgressTasks: byStatus.in_progress ?? 0,
      cancelledTasks: byStatus.cancelled ?? 0,
      ...ratesOf(byStatus.completed ?? 0, byStatus.failed ?? 0),
      ...durationsOf(counters),
      byStatus,
      byPriority: under(counters, 'priority'),
      bySource: under(counters, 'source'),
      byAgent: registered(under(counters, 'agent'), nameOf),
      daily: Object.entries(days).map(([date, { created = 0, completed = 0, failed = 0 }]) => ({
        date,
        created,
        completed,
        failed,
      })),
      ...(recent ? { recent } : {}),
    }
  }

const isAsked = ({ window, timezone }: AnalyticsAsked): boolean =>
  window !== undefined || timezone !== undefined

/** Agents that are not registered count together, so that the answer has at most one entry more than there are agents. */
const registered = (
  counts: Record<string, number>,
  nameOf: (agent: string) => string,
): Record<string, number> => {
  const shown: Record<string, number> = {}
  for (const [name, count] of Object.entries(counts)) {
    const agent = nameOf(name)
    shown[agent] = (shown[agent] ?? 0) + count
  }
  return shown
}

const ratesOf = (completed: number, failed: number) => {
  const ended = completed + failed
  return { successRate: ended ? completed / ended : 0, failureRate: ended ? failed / ended : 0 }
}

const durationsOf = ({
  durationCount = 0,
  durationMs = 0,
  leastDurationMs = 0,
  mostDurationMs = 0,
}: Counters) => ({
  avgDurationMs: durationCount ? durationMs / durationCount : 0,
  minDurationMs: leastDurationMs,
  maxDurationMs: mostDurationMs,
})
