import * as z from 'zod'
import { BulkNoticeSchema } from '../bulk/schema.ts'
import { createBulk } from '../bulk/service.ts'
import { Problem } from '../core/errors.ts'
import { type Announce, AnnounceSchema } from '../notifications/schema.ts'
import { createFailures } from '../queue/failures.ts'
import { EmittedEntrySchema, TraceSchema } from '../tasks/schema.ts'
import type { AuthContext, AuthPorts } from './auth.ts'
import type { Work } from './work.ts'

export const NoticeSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('ended'), taskId: z.string().min(1).max(200), trace: TraceSchema }),
  z.object({
    kind: z.literal('emitted'),
    taskId: z.string().min(1).max(200),
    entry: EmittedEntrySchema,
    trace: TraceSchema,
  }),
  AnnounceSchema,
  BulkNoticeSchema,
])
export type Notice = z.output<typeof NoticeSchema>

export const composeFailures = ({ audit }: Pick<AuthContext, 'audit'>, ports: AuthPorts) =>
  createFailures({ ...ports, audit: audit.record })

export const composeBulk = (
  { audit, tasks, deadLetters }: Pick<AuthContext, 'audit'> & Pick<Work, 'tasks' | 'deadLetters'>,
  ports: AuthPorts,
) => createBulk({ ...ports, tasks, deadLetters, audit: audit.record })

type Handled = Pick<
  Work,
  'tasks' | 'deadLetters' | 'gateway' | 'reporting' | 'notifications' | 'outboundWebhooks'
>

/** The handlers of notices, with the failures and jobs that some notices are about. */
export const composeNotices = (work: Handled & Pick<AuthContext, 'audit'>, ports: AuthPorts) => {
  const failures = composeFailures(work, ports)
  const bulk = composeBulk(work, ports)

  const end = async (taskId: string): Promise<void> => {
    await work.gateway.notify(taskId)
    await work.reporting.ended(taskId)
  }

  const announce = async (notice: Announce): Promise<void> => {
    const { fingerprint } = notice
    if (fingerprint === undefined || !(await failures.isMuted(fingerprint)))
      await work.notifications.deliver(notice)
  }

  const handOver = (notice: Notice): Promise<void> => {
    switch (notice.kind) {
      case 'ended':
        return end(notice.taskId)
      case 'emitted':
        return work.outboundWebhooks.emit(notice.taskId, notice.entry)
      case 'announce':
        return announce(notice)
      case 'bulk':
        return bulk.runSlice(notice)
    }
  }

  /** Handles a notice; a repeat changes nothing. */
  const handleNotice = (notice: Notice): Promise<void> =>
    ports.tracing.within('trace' in notice ? (notice.trace ?? {}) : {}, () => handOver(notice))

  return { failures, bulk, handleNotice }
}

/** Parses a message of storage. Throws Problem `internal` for any that is no notice: no collection may send one. */
export const noticeIn = (body: object): Notice => {
  const { success, data } = NoticeSchema.safeParse(body)
  if (!success)
    throw new Problem('internal', 'unknown_notice', 'A collection sent a notice of an unknown shape')
  return data
}
