import { type Change, collection, type LiveDraft } from '../core/collection.ts'
import type { AnyWrite } from '../ports/store.ts'
import type { IssueRef, TrackerName } from '../ports/tracker.ts'
import type { TaskReport } from './schema.ts'

/**
 * The comment about the end of a task. The row is stored together with the task that an event makes, so that only such
 * a task has one, and a task that was retried from one of those takes it over. Its delivery is another for each end.
 */
export type ReportRow = {
  id: string
  taskId: string
  provider: TrackerName
  issue: IssueRef
  /** What the comment is marked with: the first task, and how often a comment was deleted and made again. */
  mark: string
  createdAt: string
  /** Absent before the first end that is reported. */
  status?: TaskReport['status']
  /** The end that is reported: when the task ended. */
  endedAt?: string
  commentId?: string
  url?: string
  reportedAt?: string
  error?: { code: string; message: string }
  /** A first send has begun, and may have made a comment that nothing is known of. */
  begun?: true
  remade?: number
  /** Epoch milliseconds; a process that sends now has failed if it is not done by then. */
  sendingUntil?: number
  /** The report of a retry, which the comment belongs to by now. */
  passedTo?: string
}

/** The report as its task shows it; undefined where nothing is to be reported yet. */
export const shownReport = (row: ReportRow | undefined): TaskReport | undefined => {
  if (row?.status === undefined) return undefined
  const { provider, status, url, reportedAt, error } = row
  return {
    ...{ provider, status },
    ...(url === undefined ? {} : { url }),
    ...(reportedAt === undefined ? {} : { reportedAt }),
    ...(error === undefined ? {} : { error }),
  }
}

/** What a reader of the task sees changed; by the task's id. */
const publishesOf = ({ before, after }: Change<ReportRow>): LiveDraft[] => {
  const report = shownReport(after)
  if (after === undefined || report === undefined) return []
  if (JSON.stringify(report) === JSON.stringify(shownReport(before))) return []
  return [{ type: 'report.updated', data: { id: after.taskId, ...report } }]
}

export const reports = collection<ReportRow>({
  name: 'reports',
  key: 'id',
  indexes: {},
  publishes: publishesOf,
})

const TASK = 'task_'
const REPORT = 'rep_'

/** The id of the report of a task. */
export const reportIdOf = (taskId: string): string => REPORT + taskId.replace(TASK, '')
/** Whether a delivery is that of a report. */
export const isReportId = (owner: string): boolean => owner.startsWith(REPORT)

/** The delivery of one end of a task. */
export const deliveryIdOf = ({ id, endedAt = '' }: Pick<ReportRow, 'id' | 'endedAt'>): string =>
  `${id}_${Date.parse(endedAt).toString(36)}`

/** What is stored together with a task that an event makes, so that its end can be reported there. */
export const reportWritesOf = (
  { id, createdAt }: { id: string; createdAt: string },
  provider: TrackerName,
  issue: IssueRef,
): AnyWrite[] => [
  { insert: reports, row: { id: reportIdOf(id), taskId: id, provider, issue, mark: id, createdAt } },
]
