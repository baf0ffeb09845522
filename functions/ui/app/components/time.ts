const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
] as const

/** `3m 20s`, `1.4s`, `840ms` */
export const formatDuration = (ms: number): string => {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))}ms`
  if (ms < 9_950) return `${Number((ms / 1_000).toFixed(1))}s`
  const at = UNITS.findIndex(([, size]) => ms >= size)
  const [name, size] = UNITS[at] ?? ['s', 1_000]
  const next = UNITS[at + 1]
  const count = Math.floor(ms / size)
  const rest = next ? Math.floor((ms % size) / next[1]) : 0
  return next && rest > 0 ? `${count}${name} ${rest}${next[0]}` : `${count}${name}`
}

/** `just now`, `4m ago`, `in 2h`. Times to come are rounded: a term of 7 days begins as `in 7d`. */
export const formatRelative = (now: number, at: number): string => {
  const away = Math.abs(now - at)
  if (away < 5_000) return 'just now'
  const isToCome = at > now
  // One percent more, so that 59.9 minutes are an hour.
  const [name, size] = UNITS.find(([, least]) => away * (isToCome ? 1.01 : 1) >= least) ?? ['s', 1_000]
  return isToCome ? `in ${Math.round(away / size)}${name}` : `${Math.floor(away / size)}${name} ago`
}
