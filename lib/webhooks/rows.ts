import { collection } from '../core/collection.ts'
import type { CreateTask } from '../tasks/schema.ts'
import type { Sender } from './schema.ts'

/** Nobody delivers again what is older, and what could be replayed is forgotten no sooner. */
export const KEPT_MS = 90 * 86_400_000

/**
 * An event as it came, under a name made of its sender and the hash of its body: so the same body is the same event. One
 * that wants a task says which, and under which id it would be made, so that all who work on the event make the same.
 */
export type InboundEvent = {
  id: string
  sender: Sender
  /** The event in the sender's words: `issues.labeled`. */
  event: string
  delivery?: string
  receivedAt: string
  /** The body, signed, to the byte. */
  body: string
  /** Why it wants no task. */
  nothing?: string
  wants?: CreateTask
  /** The issue, by a name that it keeps at its sender. */
  issue?: string
  /** The id of the task that it would make. */
  makes?: string
  /** The task that it has come to, which is decided once: the one it makes, or one that its issue had. */
  taskId?: string
  /** There until what it has come to is stored. */
  openSince?: string
  expiresAt: number
}

export const inboundEvents = collection<InboundEvent>({
  name: 'inboundEvents',
  key: 'id',
  indexes: { open: { by: 'openSince' } },
  detail: ['body', 'wants'],
  summary: [
    ...(['id', 'sender', 'event', 'delivery', 'receivedAt', 'nothing'] as const),
    ...(['issue', 'makes', 'taskId', 'openSince', 'expiresAt'] as const),
  ],
  expires: 'expiresAt',
})

/** What an event was the first to have: the id of a delivery, or an issue that had no task, with the task it would make. */
export type InboundClaim = { id: string; event: string; taskId?: string; expiresAt?: number }

export const inboundClaims = collection<InboundClaim>({
  name: 'inboundClaims',
  key: 'id',
  indexes: {},
  expires: 'expiresAt',
})
