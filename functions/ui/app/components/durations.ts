const UNIT_MS = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000, ms: 1 } as const
const PART = /(\d+(?:\.\d+)?)\s*(ms|d|h|m|s)/g

/** `12h`, `1m 30s`, `1.5s`; `parseMs` reads it back. */
export const formatMs = (ms: number): string => {
  if (ms > 0 && ms < UNIT_MS.s) return `${ms}ms`
  const parts: string[] = []
  let rest = ms
  for (const unit of ['d', 'h', 'm'] as const) {
    const count = Math.floor(rest / UNIT_MS[unit])
    rest -= count * UNIT_MS[unit]
    if (count > 0) parts.push(`${count}${unit}`)
  }
  if (rest > 0 || parts.length === 0) parts.push(`${rest / UNIT_MS.s}s`)
  return parts.join(' ')
}

/** Milliseconds; a number without a unit is milliseconds. Undefined for anything else. */
export const parseMs = (text: string): number | undefined => {
  const typed = text.trim().toLowerCase()
  if (/^\d+$/.test(typed)) return Number(typed)
  if (typed === '' || typed.replace(PART, '').trim() !== '') return undefined
  const parts = [...typed.matchAll(PART)]
  return Math.round(
    parts.reduce((sum, [, count, unit]) => sum + Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS], 0),
  )
}
