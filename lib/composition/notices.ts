import * as z from 'zod'
import { type BulkNotice, BulkNoticeSchema } from '../bulk/notice.ts'
import { createBulk } from '../bulk/service.ts'
import { Problem } from '../core/errors.ts'
import { type Announce, AnnounceSchema } from '../notifications/schema.ts'
import type { Tracing } from '../ports/tracing.ts'
import { createFailures } from '../queue/failures.ts'
import { type EmittedEntry, EmittedEntrySchema, TraceSchema } from '../tasks/schema.ts'
import type { AuthContext, AuthPorts } from './auth.ts'
import type { Work } from './work.ts'

/** What the notification queue carries. */
export const NoticeSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('ended'), taskId: z.string().min(1).max(200), trace: TraceSchema }),
  z.object({
    ...{ kind: z.literal('emitted'), taskId: z.string().min(1).max(200) },
    ...{ entry: EmittedEntrySchema, trace: TraceSchema },
  }),
  AnnounceSchema,
  BulkNoticeSchema,
])
export type Notice = z.output<typeof NoticeSchema>

/** Failures grouped by their cause. */
export const composeFailures = ({ audit }: Pick<AuthContext, 'audit'>, ports: AuthPorts) =>
  createFailures({ ...ports, audit: audit.record })

/** Jobs on many tasks and dead letters. */
export const composeBulk = (
  { audit, tasks, deadLetters }: Pick<AuthContext, 'audit'> & Pick<Work, 'tasks' | 'deadLetters'>,
  ports: AuthPorts,
) => createBulk({ ...ports, tasks, deadLetters, audit: audit.record })

type Handled = Pick<
  Work,
  'tasks' | 'deadLetters' | 'gateway' | 'reporting' | 'notifications' | 'outboundWebhooks'
>

/** What handles notices, with the failures and jobs that some of them are of. */
export const composeNotices = (work: Handled & Pick<AuthContext, 'audit'>, ports: AuthPorts) => {
  const failures = composeFailures(work, ports)
  const bulk = composeBulk(work, ports)
  const handleNotice: (notice: Notice) => Promise<void> = createNotices({
    ...{ ...work, bulk, tracing: ports.tracing },
    emit: work.outboundWebhooks.emit,
    isMuted: failures.isMuted,
  })
  return { failures, bulk, handleNotice }
}

type Needs = {
  gateway: { notify(taskId: string): Promise<void> }
  reporting: { ended(taskId: string): Promise<void> }
  notifications: { deliver(announce: Announce): Promise<void> }
  emit(taskId: string, entry: EmittedEntry): Promise<void>
  bulk: { runSlice(notice: BulkNotice): Promise<void> }
  /** Whether failures of a group are to cause no notifications. */
  isMuted(fingerprint: string): Promise<boolean>
  tracing: Pick<Tracing, 'within'>
}

/** Hands a notice to its domain. A repeat of any kind of notice changes nothing. */
const createNotices =
  ({ gateway, reporting, notifications, emit, bulk, isMuted, tracing }: Needs) =>
  (notice: Notice): Promise<void> =>
    tracing.within('trace' in notice ? (notice.trace ?? {}) : {}, async () => {
      if (notice.kind === 'ended') {
        await gateway.notify(notice.taskId)
        return reporting.ended(notice.taskId)
      }
      if (notice.kind === 'emitted') return emit(notice.taskId, notice.entry)
      if (notice.kind === 'bulk') return bulk.runSlice(notice)
      const { fingerprint } = notice
      if (fingerprint === undefined || !(await isMuted(fingerprint))) await notifications.deliver(notice)
    })

/** A message of storage as a notice. Throws Problem `internal` for one that is none: no collection may send such. */
export const noticeIn = (body: object): Notice => {
  const { success, data } = NoticeSchema.safeParse(body)
  if (!success)
    throw new Problem('internal', 'unknown_notice', 'A collection sent a notice of an unknown shape')
  return data
}
