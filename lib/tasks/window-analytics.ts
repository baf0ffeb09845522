import type * as z from 'zod'
import { getOrCreate } from '../core/get-or-create.ts'
import { createHistogram, type Histogram } from '../core/histogram.ts'
import { iso } from '../core/time.ts'
import type { Store } from '../ports/store.ts'
import type { AnalyticsAsked, WindowSchema } from './contract.ts'
import { HAPPENINGS, type Happening, type HourlyCount, QUARTER_MS, readHourly } from './hourly-counters.ts'
import { partsOf, type Span } from './windows.ts'

/**
 * The statistics of a window of time, by its parts and by agent. It reads one counter for each agent and hour of the
 * window, whatever the number of tasks.
 */
export const readWindow = async (
  store: Store,
  now: number,
  { window = '24h', timezone = 'UTC' }: AnalyticsAsked,
  nameOf: (agent: string) => string,
): Promise<z.output<typeof WindowSchema>> => {
  const parts = partsOf(window, timezone, now)
  const { from, to } = { from: parts[0]?.from ?? now, to: parts.at(-1)?.to ?? now }
  // A window of five-minute parts may begin within a quarter, whose waits and runs count whole; in other windows each
  // part is whole quarters.
  const counts = (await readHourly(store, iso(from))).filter((count) => endOf(count) > from && count.at < to)
  const agents = Map.groupBy(counts, ({ agent }) => nameOf(agent))
  return {
    ...{ window, timezone, from: iso(from), to: iso(to) },
    buckets: countedIn(parts, counts),
    ...durationsOf(counts),
    byAgent: Object.fromEntries(
      [...agents].map(([agent, own]) => [agent, { ...sumsOf(own), ...durationsOf(own) }]),
    ),
  }
}

const endOf = (count: HourlyCount): number => ('bucket' in count ? count.at + QUARTER_MS : count.at + 1)

const nothing = (): Record<Happening, number> =>
  Object.fromEntries(HAPPENINGS.map((what) => [what, 0])) as Record<Happening, number>

const sumsOf = (counts: readonly HourlyCount[]): Record<Happening, number> => {
  const sums = nothing()
  for (const one of counts) if (!('bucket' in one)) sums[one.what] += one.count
  return sums
}

const countedIn = (parts: readonly Span[], counts: readonly HourlyCount[]) => {
  const byPart = Map.groupBy(counts, ({ at }) => parts.findIndex(({ from, to }) => from <= at && at < to))
  return parts.map(({ from, to }, n) => ({ from: iso(from), to: iso(to), ...sumsOf(byPart.get(n) ?? []) }))
}

const durationsOf = (counts: readonly HourlyCount[]) => {
  const histograms = new Map<string, Histogram>()
  for (const one of counts)
    if ('bucket' in one) getOrCreate(histograms, one.what, createHistogram).add(one.bucket, one.count)
  return { wait: percentilesOf(histograms.get('wait')), run: percentilesOf(histograms.get('run')) }
}

const percentilesOf = (histogram: Histogram | undefined) => {
  const [p50Ms, p95Ms] = [0.5, 0.95].map((q) => histogram?.quantile(q))
  if (histogram === undefined || p50Ms === undefined || p95Ms === undefined) return { count: 0 }
  return { count: histogram.count, p50Ms: Math.round(p50Ms), p95Ms: Math.round(p95Ms) }
}
