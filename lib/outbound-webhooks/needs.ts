import type { PageQuery } from '../core/page.ts'
import type { AddDelivery, DeliveryRow, NewDelivery } from '../deliveries/schema.ts'
import type { Page } from '../ports/store.ts'

/** What the webhooks need of deliveries, each of which belongs to one of them; see `createOwnedDeliveries`. */
export type WebhookDeliveries = {
  add: AddDelivery
  page(owner: string, query: PageQuery, scope: string): Promise<Page<DeliveryRow>>
  count(owner: string): Promise<number>
  countFailed(owner: string, since: string): Promise<number>
  get(owner: string, id: string): Promise<DeliveryRow>
  makeDue(row: DeliveryRow): Promise<DeliveryRow | undefined>
  insert(delivery: NewDelivery): Promise<DeliveryRow | undefined>
  sendNow(row: DeliveryRow): Promise<void>
  resume(owner: string, failed: { from: string; to: string } | undefined): AsyncGenerator<unknown>
  removeAll(owner: string): AsyncGenerator<unknown>
}
