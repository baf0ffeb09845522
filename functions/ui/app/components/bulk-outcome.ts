import type { BulkSummary } from '../data/bulk-jobs.ts'
import { bulkWords } from './bulk-words.ts'
import { formatNumber } from './format.ts'

type Counts = {
  /** Items that are finished. For a retry: items whose tasks have ended. */
  ended: number
  /** Finished items that failed. */
  faulty: number
  good: number
}

/** Progress of a job. A retry is measured by its tasks: one that fails again counts as failed. */
export const bulkCounts = ({ done, failed, results }: Omit<BulkSummary, 'id'>): Counts => {
  if (results === undefined) return { ended: done + failed, faulty: failed, good: done }
  const { completed, running, cancelled = 0 } = results
  return { ended: done + failed - running, faulty: failed + results.failed + cancelled, good: completed }
}

/** All items are handled, and the job waits for the retried tasks. */
export const isFollowing = ({ status, total, done, failed }: BulkSummary): boolean =>
  status === 'running' && done + failed === total

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

export const bulkText = (job: BulkSummary): string => {
  const { target, action, status, total, done, failed, results } = job
  const handled = `${formatNumber(done)} of ${formatNumber(total)} ${bulkWords(target, action).past}`
  if (results === undefined)
    return status === 'running'
      ? `${formatNumber(done + failed)} of ${formatNumber(total)}`
      : stopped(status, handled)
  const isAll = done === total && status !== 'cancelled'
  return stopped(status, isAll ? resultsText(results) : `${handled}, ${resultsText(results)}`)
}

const stopped = (status: BulkSummary['status'], text: string): string =>
  status === 'cancelled' ? `Cancelled: ${text}` : text
