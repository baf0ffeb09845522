import type { DeliveryStatus } from '../../data/webhooks.ts'

/** The open delivery, and the state to which the list is narrowed. */
export type DeliverySearch = { delivery?: string | undefined; state?: DeliveryStatus | undefined }

export const deliveryStates: Readonly<Record<DeliveryStatus, string>> = {
  delivered: 'Delivered',
  pending: 'Pending',
  failed: 'Failed',
}

export const isDeliveryStatus = (value: unknown): value is DeliveryStatus =>
  typeof value === 'string' && Object.hasOwn(deliveryStates, value)
