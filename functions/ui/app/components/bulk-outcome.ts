import type { BulkSummary } from '../data/bulk-jobs.ts'
import { bulkWords } from './bulk-words.ts'
import { formatNumber } from './format.ts'

type Counts = {
  /** Items that need no more waiting: of a retry those whose tasks have ended. */
  ended: number
  /** Those of them that did not go well. */
  faulty: number
  /** Those of them that did. */
  good: number
}

/** How far a job is. A retry is as far as the tasks that it queued: a task that failed again did not go well. */
export const bulkCounts = ({ done, failed, results }: Omit<BulkSummary, 'id'>): Counts => {
  if (results === undefined) return { ended: done + failed, faulty: failed, good: done }
  const { completed, running, cancelled = 0 } = results
  return {
    ended: done + failed - running,
    faulty: failed + results.failed + cancelled,
    good: completed,
  }
}

/** Whether a job waits for its tasks alone: each item was handled. */
export const isFollowing = ({ status, total, done, failed }: BulkSummary): boolean =>
  status === 'running' && done + failed === total

/** How the tasks of a retry have ended; without the states that none of them is in. */
const resultsText = ({ completed, failed, running, cancelled = 0 }: Results): string =>
  [
    `${formatNumber(completed)} completed`,
    failed > 0 && `${formatNumber(failed)} failed again`,
    cancelled > 0 && `${formatNumber(cancelled)} cancelled`,
    running > 0 && `${formatNumber(running)} still running`,
  ]
    .filter(Boolean)
    .join(', ')
type Results = NonNullable<BulkSummary['results']>

/** How far a job is, and how its tasks have ended. */
export const bulkText = (job: BulkSummary): string => {
  const { target, action, status, total, done, failed, results } = job
  const handled = `${formatNumber(done)} of ${formatNumber(total)} ${bulkWords(target, action).past}`
  if (results === undefined)
    return status === 'running'
      ? `${formatNumber(done + failed)} of ${formatNumber(total)}`
      : stopped(status, handled)
  // All that can be retried was: what counts is how it ended.
  const isAll = done === total && status !== 'cancelled'
  return stopped(status, isAll ? resultsText(results) : `${handled}, ${resultsText(results)}`)
}

const stopped = (status: BulkSummary['status'], text: string): string =>
  status === 'cancelled' ? `Stopped: ${text}` : text
