import type { Window } from '../../data/analytics.ts'

/** `step`: every how many buckets the axis has a label. */
export const windows: Readonly<Record<Window, { hours: number; label: string; part: string; step: number }>> =
  {
    '1h': { hours: 1, label: 'the last hour', part: '5 minutes', step: 3 },
    '24h': { hours: 24, label: 'the last 24 hours', part: 'hour', step: 6 },
    '7d': { hours: 168, label: 'the last 7 days', part: 'day', step: 1 },
  }

export const windowNames = Object.keys(windows) as Window[]
export const isWindow = (value: unknown): value is Window =>
  typeof value === 'string' && Object.hasOwn(windows, value)
