import { collection } from '../core/collection.ts'
import type { LabelKind } from './ask.ts'
import type { Sender } from './schema.ts'

/** Senders deliver no older event again; until then an event that was replayed is recognised. */
export const KEPT_MS = 90 * 86_400_000

/** Counts the events of each sender. An event that comes again, or expires, moves nothing. */
export const EVENT_COUNTER = 'webhooks'

/** An event as it came. Its id is made of its sender and the hash of its body, so the same body is the same event. */
export type InboundEvent = {
  id: string
  sender: Sender
  /** The event in the sender's words: `issues.labeled`. */
  event: string
  delivery?: string
  receivedAt: string
  /** The body, signed, to the byte. */
  body: string
  /** Why it asks for no task. */
  nothing?: string
  /** The task that it came to: a new one, or the one that its delivery id or its issue had. */
  taskId?: string
  /** Equal to `taskId` where the event made the task. The release before stored it before the task was there. */
  makes?: string
  expiresAt: number
}

export const inboundEvents = collection<InboundEvent, 'body'>({
  name: 'inboundEvents',
  key: 'id',
  indexes: {},
  detail: ['body'],
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
 * The first event that had a delivery id, or the last that made a task of an issue, and the task. The release before
 * stored none with a delivery id.
 * Of an issue that came with labels: `openedWith` is what those ask for that it has had ever since.
 */
export type InboundClaim = {
  id: string
  event: string
  taskId?: string
  expiresAt?: number
  openedWith?: readonly LabelKind[]
}

export const inboundClaims = collection<InboundClaim>({
  name: 'inboundClaims',
  key: 'id',
  indexes: {},
  expires: 'expiresAt',
})
