import * as z from 'zod'
import { Problem } from '../core/errors.ts'
import { type Announce, AnnounceSchema } from '../notifications/schema.ts'
import { type EmittedEntry, EmittedEntrySchema } from '../tasks/schema.ts'

/** What the notification queue carries. */
export const NoticeSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('ended'), taskId: z.string().min(1).max(200) }),
  z.object({ kind: z.literal('emitted'), taskId: z.string().min(1).max(200), entry: EmittedEntrySchema }),
  AnnounceSchema,
])
export type Notice = z.output<typeof NoticeSchema>

type Needs = {
  gateway: { notify(taskId: string): Promise<void> }
  reporting: { ended(taskId: string): Promise<void> }
  notifications: { deliver(announce: Announce): Promise<void> }
  emit(taskId: string, entry: EmittedEntry): Promise<void>
}

/** Hands a notice to its domain. A repeat of any kind of notice changes nothing. */
export const createNotices =
  ({ gateway, reporting, notifications, emit }: Needs) =>
  async (notice: Notice): Promise<void> => {
    if (notice.kind === 'ended') {
      await gateway.notify(notice.taskId)
      return reporting.ended(notice.taskId)
    }
    if (notice.kind === 'emitted') return emit(notice.taskId, notice.entry)
    return notifications.deliver(notice)
  }

/** A message of storage as a notice. Throws Problem `internal` for one that is none: no collection may send such. */
export const noticeIn = (body: object): Notice => {
  const { success, data } = NoticeSchema.safeParse(body)
  if (!success)
    throw new Problem('internal', 'unknown_notice', 'A collection sent a notice of an unknown shape')
  return data
}
