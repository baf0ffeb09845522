type Runs = { count: number; p95Ms?: number | undefined }

const LEAST_RUNS = 10
const LEAST_MS = 10_000
const TIMES = 2

/** The 95th percentile of an agent's completed runs of the last seven days; undefined below ten runs. */
export const usualMs = (usual: Runs | undefined): number | undefined =>
  usual !== undefined && usual.count >= LEAST_RUNS ? usual.p95Ms : undefined

/**
 * A run is stuck if it takes more than twice the 95th percentile of its agent's completed runs of the last seven days, and more than ten
 * seconds. Needs ten completed runs.
 */
export const isStuck = (elapsedMs: number, usual: Runs | undefined): boolean => {
  const mostMs = usualMs(usual)
  return mostMs !== undefined && elapsedMs > Math.max(LEAST_MS, TIMES * mostMs)
}
