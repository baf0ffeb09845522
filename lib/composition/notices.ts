import * as z from 'zod'
import { BulkNoticeSchema } from '../bulk/schema.ts'
import { createBulk } from '../bulk/service.ts'
import { type Announce, AnnounceSchema } from '../notifications/schema.ts'
import { createFailures } from '../queue/failures.ts'
import { EmittedNoticeSchema, EndedNoticeSchema, PlacesNoticeSchema } from '../tasks/schema.ts'
import type { People } from './people.ts'
import type { AuthPorts } from './ports.ts'
import type { Work } from './work.ts'

export const NoticeSchema = z.discriminatedUnion('kind', [
  EndedNoticeSchema,
  EmittedNoticeSchema,
  AnnounceSchema,
  BulkNoticeSchema,
  PlacesNoticeSchema,
])
export type Notice = z.output<typeof NoticeSchema>

/** The handlers of notices, with the failures and jobs that some notices are about. */
export const createNotices = ({ audit }: Pick<People, 'audit'>, ports: AuthPorts, work: Work) => {
  const needs = { ...ports, ...work, audit: audit.record }
  const failures = createFailures(needs)
  const bulk = createBulk(needs)

  const end = async (taskId: string): Promise<void> => {
    await work.tasks.replies.deliver(taskId)
    await work.gateway.notify(taskId)
    await work.reporting.ended(taskId)
    await work.alerts.ended(taskId)
  }

  const announce = async (notice: Announce): Promise<void> => {
    const { fingerprint } = notice
    if (fingerprint === undefined || !(await failures.isMuted(fingerprint)))
      await work.notifications.deliver(notice)
    await work.alerts.announced(notice.notification)
  }

  const handOver = (notice: Notice): Promise<void> => {
    switch (notice.kind) {
      case 'ended':
        return end(notice.taskId)
      case 'emitted':
        return work.outboundWebhooks.emit(notice.taskId, notice.entry)
      case 'announce':
        return announce(notice)
      case 'places':
        return work.sharedPlaces.giveUp(notice.places)
      case 'bulk':
        return bulk.runSlice(notice)
    }
  }

  /** Handles a notice; a repeat changes nothing. */
  const handleNotice = (notice: Notice): Promise<void> =>
    ports.tracing.within('trace' in notice ? (notice.trace ?? {}) : {}, () => handOver(notice))

  return { failures, bulk, handleNotice }
}
