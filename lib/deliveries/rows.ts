import { collection } from '../core/collection.ts'
import type { NewDelivery } from './schema.ts'

/** One attempt: the receiver's answer, or the reason why there was none. */
export type Attempt = {
  at: string
  statusCode?: number
  /** At most 4 kB. */
  responseBody?: string
  error?: string
  durationMs: number
}

/**
 * An event on its way to a URL. `id` is the envelope's own and `body` the bytes of it, both the same on every send.
 * While it is pending, `dueAt` is when it may be claimed: the time of the next attempt, or the end of the lease of the
 * process that sends it now.
 */
export type DeliveryRow = NewDelivery & {
  status: 'pending' | 'delivered' | 'failed'
  dueAt?: string
  attempts: readonly Attempt[]
  createdAt: string
  /** Epoch milliseconds; absent while it is pending. */
  expiresAt?: number
}

export const deliveryRows = collection<DeliveryRow>({
  name: 'deliveries',
  key: 'id',
  indexes: { due: { by: 'dueAt' }, ofOwner: { within: 'owner', by: 'createdAt' } },
  detail: ['body', 'secret', 'attempts'],
  summary: ['owner', 'event', 'url', 'status', 'dueAt', 'createdAt', 'expiresAt'],
  expires: 'expiresAt',
})
