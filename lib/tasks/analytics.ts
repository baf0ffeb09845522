import type * as z from 'zod'
import { dayOf, iso } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Store, Totals } from '../ports/store.ts'
import { TASK_STATUSES } from './machine.ts'
import type { AnalyticsSchema } from './queries.ts'
import { by, DAILY_TOTALS, TASK_TOTALS } from './tally.ts'

const DAYS = 30
const DAY_MS = 86_400_000

/** Statistics over all tasks ever stored, read from maintained totals. Rates are 0..1, of the tasks that ended. */
export const createAnalytics =
  ({ store, clock }: { store: Store; clock: Clock }) =>
  async (): Promise<z.output<typeof AnalyticsSchema>> => {
    const firstDay = dayOf(iso(clock.now() - (DAYS - 1) * DAY_MS))
    const [groups, days] = await Promise.all([
      store.tallies(TASK_TOTALS.group),
      store.tallies(DAILY_TOTALS, firstDay),
    ])
    const totals = groups[TASK_TOTALS.member] ?? {}
    const byStatus = {
      ...Object.fromEntries(TASK_STATUSES.map((status) => [status, 0])),
      ...by(totals, 'status'),
    }
    return {
      totalTasks: totals.total ?? 0,
      completedTasks: byStatus.completed ?? 0,
      failedTasks: byStatus.failed ?? 0,
      pendingTasks: byStatus.pending ?? 0,
      inProgressTasks: byStatus.in_progress ?? 0,
      cancelledTasks: byStatus.cancelled ?? 0,
      ...ratesOf(byStatus.completed ?? 0, byStatus.failed ?? 0),
      ...durationsOf(totals),
      byStatus,
      byPriority: by(totals, 'priority'),
      bySource: by(totals, 'source'),
      byAgent: by(totals, 'agent'),
      daily: Object.entries(days).map(([date, { created = 0, completed = 0, failed = 0 }]) => ({
        date,
        created,
        completed,
        failed,
      })),
    }
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
}: Totals) => ({
  avgDurationMs: durationCount ? durationMs / durationCount : 0,
  minDurationMs: leastDurationMs,
  maxDurationMs: mostDurationMs,
})
