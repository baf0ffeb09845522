import { client } from './client.ts'
import { EVERY_MS, periodEnd, useLive } from './live.ts'
import { zoneNow } from './locale.ts'

const DAY_MS = 86_400_000

/** Statistics of all tasks, and of the last thirty days in UTC. */
export const useAnalytics = () =>
  useLive(['analytics'], (signal) => client.taskAnalytics({}, { signal }), EVERY_MS.calm, {
    getPeriodEnd: (_data, now) => periodEnd(DAY_MS, now),
  })

type Recent = NonNullable<Awaited<ReturnType<typeof client.taskAnalytics>>['recent']>
export type Window = Recent['window']
export type Happened = Recent

const readRecent = async (window: Window, signal: AbortSignal) =>
  (await client.taskAnalytics({ query: { window, timezone: zoneNow() } }, { signal })).recent

export const useRecent = (window: Window) =>
  useLive(['analytics', 'recent', window, zoneNow()], (signal) => readRecent(window, signal), EVERY_MS.calm, {
    getPeriodEnd: (data) => data && Date.parse(data.to),
  })

const NONE = { completed: 0, failed: 0 }

/** Outcomes of an agent's tasks in the last hour and 24 hours; undefined until loaded. */
export const useRecentOutcomes = () => {
  const queries = [useRecent('1h'), useRecent('24h')] as const
  const [{ data: hour }, { data: day }] = queries
  const getOutcomes = ({ type }: { type: string }) =>
    hour && day && { hour: hour.byAgent[type] ?? NONE, day: day.byAgent[type] ?? NONE }
  return { queries, getOutcomes }
}

const USUAL_MS = 300_000

/** Run durations per agent over seven days. They change slowly, so they are cached. */
export const useUsualRuns = () =>
  useLive(['usual-runs', zoneNow()], (signal) => readRecent('7d', signal), USUAL_MS, { staleTime: USUAL_MS })
    .data?.byAgent
