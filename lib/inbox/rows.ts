import { collection } from '../core/collection.ts'

/**
 * An item that a user marked as done, or, with `until`, snoozed: the occurrence `version` of the cause `key`. Nothing else of
 * an item is stored.
 */
export type InboxMark = {
  userId: string
  key: string
  version: string
  markedAt: string
  until?: string
  /** Epoch milliseconds: later than any item of its occurrence is listed. */
  expiresAt: number
}

export const inboxMarks = collection<InboxMark>({
  name: 'inboxMarks',
  within: 'userId',
  key: 'key',
  indexes: { ofUser: { within: 'userId', by: 'markedAt' } },
  expires: 'expiresAt',
  publishes: ({ before, after }) => {
    const mark = after ?? before
    return mark === undefined
      ? []
      : [{ type: 'inbox.updated', data: { id: mark.key }, audience: mark.userId }]
  },
})
