import { collection } from '../core/collection.ts'
import type { LabelKind } from './ask.ts'
import type { Sender } from './schema.ts'

/** The retention of events. Senders repeat no older event; a replayed one is recognised for this long. */
export const KEPT_MS = 90 * 86_400_000

/** The counter of each sender's events. A repeated or expired event does not change it. */
export const EVENT_COUNTER = 'webhooks'

/** A stored event. Its id is made of its sender and the hash of its body, so the same body is the same event. */
export type InboundEvent = {
  id: string
  sender: Sender
  event: string
  delivery?: string
  receivedAt: string
  body: string
  nothing?: string
  /** The task of the event: a new one, or that of its delivery id or its issue. */
  taskId?: string
  /** Equal to `taskId` if the event made the task. */
  makes?: string
  expiresAt: number
}

export const inboundEvents = collection<InboundEvent, 'body'>({
  name: 'inboundEvents',
  key: 'id',
  indexes: {},
  detail: ['body'],
  placeholders: { body: '' },
  summary: ['id', 'sender', 'event', 'delivery', 'receivedAt', 'nothing', 'taskId', 'makes', 'expiresAt'],
  expires: 'expiresAt',
  counts: ({ before, after }) =>
    before === undefined && after !== undefined
      ? [
          {
            counter: EVENT_COUNTER,
            member: after.sender,
            add: { events: 1 },
            most: { lastAt: Date.parse(after.receivedAt) },
          },
        ]
      : [],
})

/**
 * The task of a delivery id (its first event) or of an issue (the latest event that made a task). `openedWith`, for an
 * issue that was created with labels: the kinds of the labels that it has had ever since.
 */
export type InboundClaim = {
  id: string
  event: string
  taskId: string
  expiresAt?: number
  openedWith?: readonly LabelKind[]
}

export const inboundClaims = collection<InboundClaim>({
  name: 'inboundClaims',
  key: 'id',
  indexes: {},
  expires: 'expiresAt',
})
