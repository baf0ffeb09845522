import { type Change, collection, type LiveDraft } from '../core/collection.ts'
import { definedFields } from '../core/defined-fields.ts'
import type { AnyWrite } from '../ports/store.ts'
import type { IssueRef, TrackerName } from '../ports/tracker.ts'
import type { TaskReport } from './schema.ts'

/** The comment about the end of a task of an inbound event; a retried task takes it over. Each end has a delivery. */
export type ReportRow = {
  id: string
  taskId: string
  provider: TrackerName
  issue: IssueRef
  /** The mark in the comment: the first task, and how often a deleted comment was made again. */
  mark: string
  createdAt: string
  /** Absent before the first reported end. */
  status?: TaskReport['status']
  /** The time of the reported end. */
  endedAt?: string
  commentId?: string
  url?: string
  reportedAt?: string
  error?: { code: string; message: string }
  /** A first send has begun, and may have made a comment whose id is unknown. */
  begun?: true
  remade?: number
  /** Epoch milliseconds; a send that is not done by then has failed. */
  sendingUntil?: number
  /** The report of the retried task that took over the comment. */
  passedTo?: string
}

/** The report as its task shows it; undefined before the first reported end. */
export const publicReport = (row: ReportRow | undefined): TaskReport | undefined => {
  if (row?.status === undefined) return undefined
  const { provider, status, url, reportedAt, error } = row
  return { provider, status, ...definedFields({ url, reportedAt, error }) }
}

/** Publishes a changed report under the id of its task. */
const reportEvents = ({ before, after }: Change<ReportRow>): LiveDraft[] => {
  const report = publicReport(after)
  if (after === undefined || report === undefined) return []
  if (JSON.stringify(report) === JSON.stringify(publicReport(before))) return []
  return [{ type: 'report.updated', data: { id: after.taskId, ...report } }]
}

export const reports = collection<ReportRow>({
  name: 'reports',
  key: 'id',
  indexes: {},
  publishes: reportEvents,
})

const TASK = 'task_'
const REPORT = 'rep_'

/** The id of the report of a task. */
export const toReportId = (taskId: string): string => REPORT + taskId.replace(TASK, '')
/** Whether the owner of a delivery is a report. */
export const isReportId = (owner: string): boolean => owner.startsWith(REPORT)

/** The id of the delivery of one end of a task. */
export const toDeliveryId = ({ id, endedAt = '' }: Pick<ReportRow, 'id' | 'endedAt'>): string =>
  `${id}_${Date.parse(endedAt).toString(36)}`

/** The rows that make the service report the end of an event's task, for the commit of the task. */
export const makeReportWrites = (
  { id, createdAt }: { id: string; createdAt: string },
  provider: TrackerName,
  issue: IssueRef,
): AnyWrite[] => [
  { insert: reports, row: { id: toReportId(id), taskId: id, provider, issue, mark: id, createdAt } },
]
