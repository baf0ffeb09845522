import { collection } from '../core/collection.ts'
import type { AlertCause, AlertTopic, PushSubscription } from './schema.ts'

/** The keys with which the service identifies itself to push services. The private one is sealed. */
export type AlertKeys = { id: typeof VAPID; publicKey: string; privateKey: string }
export const VAPID = 'vapid'
export const alertKeys = collection<AlertKeys>({ name: 'alertKeys', key: 'id', indexes: {} })

/**
 * A browser of a user, subscribed in the session `sessionId`, which is absent where the service has no sign-in. `sealed` has
 * its address and keys, which allow to send it messages; `service` is their origin.
 */
export type PushSubscriptionRow = PushSubscription & {
  userId: string
  sessionId?: string
  sealed: string
  service: string
}
export const pushSubscriptions = collection<PushSubscriptionRow>({
  name: 'pushSubscriptions',
  key: 'id',
  indexes: { ofUser: { within: 'userId', by: 'createdAt' } },
})

/** The users who are told of the ends of their tasks: the end of a task of any other user sends no notice. */
export type ResultReaders = { id: typeof READERS; version: number; userIds: readonly string[] }
export const READERS = 'results'
export const resultReaders = collection<ResultReaders>({ name: 'resultReaders', key: 'id', indexes: {} })

/**
 * The email of a user, whose id the row has. A minute after a message (`sentAt`) the next one is sent, by the delivery
 * `next`, with what has come until then (`waiting`).
 */
export type EmailAlertsRow = {
  id: string
  version: number
  topics: readonly AlertTopic[]
  /** Epoch milliseconds, as all times here; 0 before the first message. */
  sentAt: number
  waiting: readonly AlertCause[]
  next: { deliveryId: string; at: number }
}
export const emailAlerts = collection<EmailAlertsRow>({ name: 'emailAlerts', key: 'id', indexes: {} })
