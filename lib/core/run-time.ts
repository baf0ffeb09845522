/** The times of a task. A task that waits has not run since `waiting.since`. */
type Times = {
  readonly startedAt?: string | undefined
  readonly completedAt?: string | undefined
  readonly waitingMs?: number | undefined
  readonly waiting?: { readonly since: string } | undefined
}

/** Milliseconds from a task's first start to its end or `now`, without waits for approvals; 0 without a start. */
export const runTimeMs = ({ startedAt, completedAt, waitingMs = 0, waiting }: Times, now = 0): number => {
  if (startedAt === undefined) return 0
  const until = completedAt ?? waiting?.since
  const endMs = until === undefined ? now : Date.parse(until)
  return Math.max(0, endMs - Date.parse(startedAt) - waitingMs)
}
