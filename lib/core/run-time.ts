/** The times of a task. A task that waits has not run since `waiting.since`. */
type Times = {
  readonly startedAt?: string | undefined
  readonly completedAt?: string | undefined
  readonly waitingMs?: number | undefined
  readonly waiting?: { readonly since: string } | undefined
}

/**
 * How long a task has run, in milliseconds: from its first start to its end, or to `now`, without the waits for approvals.
 * 0 for a task without a start, and without `now` for one without an end.
 */
export const runTimeMs = ({ startedAt, completedAt, waitingMs = 0, waiting }: Times, now = 0): number => {
  if (startedAt === undefined) return 0
  const until = completedAt ?? waiting?.since
  const endMs = until === undefined ? now : Date.parse(until)
  return Math.max(0, endMs - Date.parse(startedAt) - waitingMs)
}
