import { formatDuration } from '../../components/time.ts'

const WHOLE = 100
const FINE_MS = 100

/** With tenths below 100 ms. */
export const formatLatency = (ms: number): string =>
  ms < FINE_MS ? `${ms.toFixed(1)}ms` : formatDuration(ms)

/** Percent of a rate of 0..1. A rate above 0 is never shown as 0. */
export const formatPercent = (rate: number): string => {
  const percent = rate * WHOLE
  if (percent === 0) return '0%'
  return percent < 0.1 ? '< 0.1%' : `${percent.toFixed(percent < 10 ? 1 : 0)}%`
}
