import { definedFields } from '../core/defined-fields.ts'
import { Problem } from '../core/errors.ts'
import { iso } from '../core/time.ts'
import type { AddDelivery, Endpoints } from '../deliveries/schema.ts'
import type { Update } from '../ports/store.ts'
import type { TrackerName } from '../ports/tracker.ts'
import type { Task } from '../tasks/schema.ts'
import { isReportId, publicReport, type ReportRow, reports, toDeliveryId, toReportId } from './rows.ts'
import type { FindReport } from './schema.ts'
import { createSendReport, isBeingSent } from './send.ts'

type Needs = Parameters<typeof createSendReport>[0] & {
  addDelivery: AddDelivery
  /** The addresses of providers: deliveries to one address take turns. */
  addresses: Readonly<Record<TrackerName, string>>
}

/** The most retries that are followed back to the task of an event. */
const MOST_RETRIES = 50

/** Reports the ends of tasks at their sources: one comment for each task, which a later end changes. */
export const createReporting = (needs: Needs) => {
  const { store, clock, access, findTask, addDelivery, isOn, addresses } = needs
  const send = createSendReport(needs)

  /** The report of the task that this one was retried from, across several retries. */
  const inherited = async ({ retriedFrom }: Task): Promise<ReportRow | undefined> => {
    let from = retriedFrom
    for (let depth = 0; from !== undefined && depth < MOST_RETRIES; depth++) {
      const row = await store.get(reports, toReportId(from))
      if (row !== undefined) return row
      from = (await findTask(from))?.retriedFrom
    }
    return undefined
  }

  /** The current report of a comment that retries took over. */
  const currentReport = async (row: ReportRow): Promise<ReportRow> => {
    let last = row
    for (let depth = 0; last.passedTo !== undefined && depth < MOST_RETRIES; depth++) {
      const next = await store.get(reports, last.passedTo)
      if (next === undefined) break
      last = next
    }
    return last
  }

  /** Takes over the comment of the retried task, in one commit that fails while that report is being sent. */
  const takeOver = async (task: Task, from: ReportRow): Promise<ReportRow | undefined> => {
    const last = await currentReport(from)
    const { provider, issue, mark, commentId, url, begun, remade } = last
    const row: ReportRow = {
      id: toReportId(task.id),
      taskId: task.id,
      provider,
      issue,
      mark,
      createdAt: iso(clock.now()),
      ...definedFields({ commentId, url, begun, remade }),
    }
    const passed: Update<ReportRow> = {
      update: reports,
      key: last.id,
      when: { sendingUntil: last.sendingUntil ?? null, passedTo: null },
      set: { passedTo: row.id },
    }
    if (isBeingSent(last, clock.now())) throw busy()
    const { applied } = await store.commit<ReportRow>({ insert: reports, row }, [passed])
    return applied ? row : store.get(reports, row.id)
  }

  const reportFor = async (task: Task): Promise<ReportRow | undefined> => {
    const own = await store.get(reports, toReportId(task.id))
    if (own !== undefined) return own
    const from = await inherited(task)
    return from && takeOver(task, from)
  }

  /** Sets the report to this end, unless it is there already; resolves to the resulting row. */
  const begin = async (row: ReportRow, endedAt: string): Promise<ReportRow | undefined> => {
    if (row.endedAt === endedAt) return row
    const { row: begun } = await store.commit<ReportRow>({
      update: reports,
      key: row.id,
      when: { endedAt: row.endedAt ?? null },
      set: { endedAt, status: 'pending' },
      unset: ['error'],
    })
    return begun
  }

  /** Handles the notice of a task's end. A repeat, and a task without an account that may write, add nothing. */
  const ended = async (taskId: string): Promise<void> => {
    const task = await findTask(taskId)
    if (task?.completedAt === undefined || !REPORTED.has(task.status) || !isOn()) return
    const report = await reportFor(task)
    if (report === undefined || (await access.writerAt(report.provider)) === undefined) return
    const row = await begin(report, task.completedAt)
    if (row?.endedAt !== task.completedAt) return
    await addDelivery({
      id: toDeliveryId(row),
      owner: row.id,
      event: `task.${task.status}`,
      body: '{}',
      url: addresses[row.provider],
    })
  }

  const findReport: FindReport = async (taskId) => publicReport(await store.get(reports, toReportId(taskId)))

  const endpoints: Endpoints = {
    of: async (owner) => (isReportId(owner) ? { handle: send } : undefined),
    isFailing: async () => false,
    onLost: async (owner) => {
      const row = isReportId(owner) ? await store.get(reports, owner) : undefined
      return row?.status === 'pending'
        ? [{ update: reports, key: owner, set: { status: 'failed' as const } }]
        : []
    },
    onSent: async () => undefined,
  }

  return { ended, findReport, endpoints }
}

const REPORTED: ReadonlySet<Task['status']> = new Set(['completed', 'failed'])

/** The notice is delivered again. */
const busy = () =>
  new Problem('unavailable', 'report_contended', 'The report of the task that was retried is being sent')
