type Runs = { count: number; p95Ms?: number | undefined }

/** What is known of fewer runs says little. */
const LEAST_RUNS = 10
const LEAST_MS = 10_000
const TIMES = 2

/**
 * Whether a run counts as stuck: it takes more than twice as long as 95 of 100 completed runs of its agent took in the last
 * seven days, and more than ten seconds. Where fewer than ten completed, nothing is said.
 */
export const isStuck = (elapsedMs: number, usual: Runs | undefined): boolean =>
  usual?.p95Ms !== undefined &&
  usual.count >= LEAST_RUNS &&
  elapsedMs > Math.max(LEAST_MS, TIMES * usual.p95Ms)
