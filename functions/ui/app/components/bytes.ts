const KILO = 1_024
const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'] as const

/** `1.5 GB` */
export const formatBytes = (bytes: number): string => {
  const power = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log(bytes) / Math.log(KILO)))
  const value = bytes / KILO ** power
  return `${power > 2 ? value.toFixed(1) : Math.round(value)} ${UNITS[power]}`
}
