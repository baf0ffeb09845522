import { formatDuration } from '../../components/time.ts'

const WHOLE = 100
const FINE_MS = 100

/** A latency, tenths of a millisecond where they say something. */
export const formatLatency = (ms: number): string =>
  ms < FINE_MS ? `${ms.toFixed(1)}ms` : formatDuration(ms)

/** A rate of 0..1 in percent; what is not nothing is never shown as nothing. */
export const formatPercent = (rate: number): string => {
  const percent = rate * WHOLE
  if (percent === 0) return '0%'
  return percent < 0.1 ? '< 0.1%' : `${percent.toFixed(percent < 10 ? 1 : 0)}%`
}
