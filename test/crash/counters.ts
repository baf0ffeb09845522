import type { Task } from '../../lib/tasks/schema.ts'
import type { Api } from '../journeys/api.ts'

const countBy = (values: readonly (string | number)[]): Record<string, number> =>
  Object.fromEntries([...Map.groupBy(values, String)].map(([value, all]) => [value, all.length]))

const nonZero = (counts: Record<string, number>) =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0))

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)

/** The maintained counters, as analytics, queue status and the list show them. */
export const shownCounters = async (api: Api) => {
  const [analytics, { queues, deadLetterQueue }, page] = await Promise.all([
    api.analytics(),
    api.queueStatus(),
    api.page('limit=1'),
  ])
  return {
    totals: [analytics.totalTasks, page.total, sum(analytics.daily.map(({ created }) => created))],
    byStatus: nonZero(analytics.byStatus),
    queue: nonZero(queues.tasks),
    deadLetters: deadLetterQueue.total,
    byPriority: analytics.byPriority,
    byAgent: analytics.byAgent,
    completedDaily: sum(analytics.daily.map(({ completed }) => completed)),
    durations: [analytics.minDurationMs, analytics.avgDurationMs, analytics.maxDurationMs],
  }
}

/** What the counters must show when all there is are these tasks, each completed or failed with a dead letter. */
export const counted = (tasks: readonly Task[]): Awaited<ReturnType<typeof shownCounters>> => {
  const completed = tasks.filter(({ status }) => status === 'completed')
  const durations = completed.map(({ startedAt = '', completedAt = '' }) =>
    Math.max(0, Date.parse(completedAt) - Date.parse(startedAt)),
  )
  const byStatus = countBy(tasks.map(({ status }) => status))
  return {
    totals: [tasks.length, tasks.length, tasks.length],
    byStatus,
    queue: byStatus,
    deadLetters: byStatus.failed ?? 0,
    byPriority: countBy(tasks.map(({ priority }) => priority)),
    byAgent: countBy(tasks.map(({ agent }) => agent)),
    completedDaily: byStatus.completed ?? 0,
    durations: [Math.min(...durations), sum(durations) / durations.length, Math.max(...durations)],
  }
}
