import type { PageQuery } from '../core/page.ts'
import type { AddDelivery, DeliveryRow, NewDelivery } from '../deliveries/schema.ts'
import type { Page } from '../ports/store.ts'

/** What the webhooks need of deliveries, each of which belongs to one of them; see `createOwnedDeliveries`. */
export type WebhookDeliveries = {
  add: AddDelivery
  page(owner: string, query: PageQuery, scope: string): Promise<Page<DeliveryRow>>
  countFailed(owner: string, since: string): Promise<number>
  get(owner: string, id: string): Promise<DeliveryRow>
  makeDue(row: DeliveryRow): Promise<DeliveryRow | undefined>
  insert(delivery: NewDelivery): Promise<DeliveryRow | undefined>
  sendNow(row: DeliveryRow): Promise<void>
  wake(of: {
    owner: string
    from: string | undefined
    failedSince: string | undefined
    most: number
  }): Promise<string | undefined>
}
