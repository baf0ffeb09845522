import type { Attempt } from '../../data/attempts.ts'

/** `Attempt 2`; after a retry of the dead letter attempts are counted anew: `Retry 1, attempt 1`. */
export const attemptNames = (attempts: readonly Pick<Attempt, 'id' | 'attempt'>[]): Map<string, string> => {
  const names = new Map<string, string>()
  let retries = 0
  let before = 0
  for (const { id, attempt } of attempts) {
    if (attempt <= before) retries += 1
    before = attempt
    names.set(id, retries === 0 ? `Attempt ${attempt}` : `Retry ${retries}, attempt ${attempt}`)
  }
  return names
}

/** Milliseconds that an attempt ran, without waits for approvals; undefined while it runs. */
export const attemptTookMs = ({ startedAt, endedAt, waitingMs = 0 }: Attempt): number | undefined =>
  endedAt === undefined ? undefined : Math.max(0, Date.parse(endedAt) - Date.parse(startedAt) - waitingMs)
