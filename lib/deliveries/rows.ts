import { collection } from '../core/collection.ts'
import type { DeliveryRow } from './schema.ts'

export const deliveryRows = collection<DeliveryRow>({
  name: 'deliveries',
  key: 'id',
  indexes: { due: { by: 'dueAt' }, ofOwner: { within: 'owner', by: 'createdAt' } },
  detail: ['body', 'secret', 'attempts'],
  summary: ['owner', 'event', 'url', 'status', 'dueAt', 'tries', 'createdAt', 'expiresAt'],
  expires: 'expiresAt',
})
