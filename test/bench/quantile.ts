/** The value below which the share `q` (0..1) of `values` lies, by the nearest rank. `values` must not be empty. */
export const quantile = (values: readonly number[], q: number): number => {
  const sorted = Float64Array.from(values).sort()
  const rank = Math.min(sorted.length - 1, Math.max(0, Math.ceil(q * sorted.length) - 1))
  return sorted[rank] ?? Number.NaN
}

export const median = (values: readonly number[]): number => quantile(values, 0.5)
