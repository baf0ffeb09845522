export const spans = {
  '24h': { hours: 24, label: '24 hours' },
  '7d': { hours: 168, label: '7 days' },
  '30d': { hours: 719, label: '30 days' },
} as const

export type SpanName = keyof typeof spans
export const spanNames = Object.keys(spans) as SpanName[]

export const isSpan = (value: unknown): value is SpanName =>
  typeof value === 'string' && Object.hasOwn(spans, value)
