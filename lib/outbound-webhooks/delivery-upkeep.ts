import type { PageQuery } from '../core/page.ts'
import { isTooLate } from '../core/wrong-clock.ts'
import type { AddDelivery, DeliveryRow, NewDelivery } from '../deliveries/schema.ts'
import type { Clock } from '../ports/clock.ts'
import type { Page, Store } from '../ports/store.ts'
import { type WebhookHealth, type WebhookRow, webhookHealth, webhooks } from './rows.ts'

/** The verbs of deliveries that webhooks call; each delivery belongs to one webhook, see `createOwnedDeliveries`. */
export type WebhookDeliveries = {
  add: AddDelivery
  page(owner: string, query: PageQuery, scope: string): Promise<Page<DeliveryRow>>
  count(owner: string): Promise<number>
  countFailed(owner: string, since: string): Promise<number>
  get(owner: string, id: string): Promise<DeliveryRow>
  take(row: DeliveryRow): Promise<DeliveryRow | undefined>
  insert(delivery: NewDelivery): Promise<DeliveryRow | undefined>
  sendNow(row: DeliveryRow): Promise<void>
  resume(owner: string, failed: { from: string; to: string } | undefined): AsyncGenerator<unknown>
  removeAll(owner: string): AsyncGenerator<unknown>
}

type Needs = { store: Store; clock: Clock; deliveries: WebhookDeliveries }

/** The number of webhooks that may exist. */
const MOST_AT_ONCE = 100
/**
 * An index may lag its rows by some seconds, and a notice that is handled during a change adds its deliveries afterwards.
 * The calls of this time find such late rows.
 */
const LATE_ROWS_MS = 60_000

/** The work on the deliveries of a webhook; each step is one page. */
type Work = { steps: AsyncIterator<unknown>; over: () => Promise<unknown> }

/**
 * Adjusts deliveries after a change of their webhook: those of an activated webhook become due again, those of a deleted
 * one are removed. Each call works for `mostMs`, page by page, on all webhooks in turn; the next call continues.
 */
export const createDeliveryUpkeep = ({ store, clock, deliveries }: Needs) => {
  const isLate = (at: string): boolean =>
    clock.now() - Date.parse(at) >= LATE_ROWS_MS || isTooLate(Date.parse(at), clock.now())

  const inTurn = async (all: readonly Work[], mostMs: number): Promise<void> => {
    const endsAt = clock.monotonic() + mostMs
    let open = all
    while (open.length > 0) {
      const left: Work[] = []
      for (const work of open) {
        if (clock.monotonic() >= endsAt) return
        if ((await work.steps.next()).done) await work.over()
        else left.push(work)
      }
      open = left
    }
  }

  /** The steps for an active webhook. A webhook that was paused again keeps its deliveries held, and is done at once. */
  const resuming = async (id: string): Promise<Work[]> => {
    const row = await store.get(webhooks, id)
    if (row?.resumeAt === undefined) return []
    const { resumeAt, recoverSince, active } = row
    const end = () =>
      store.commit<WebhookRow>({
        update: webhooks,
        key: id,
        when: { active, resumeAt, recoverSince: recoverSince ?? null },
        unset: ['resumeAt', 'recoverSince'],
      })
    if (!active) {
      await end()
      return []
    }
    const failed = recoverSince === undefined ? undefined : { from: recoverSince, to: resumeAt }
    const over = async () => void (isLate(resumeAt) && (await end()))
    return [{ steps: deliveries.resume(id, failed), over }]
  }

  const removal = ({ id, deletedAt = '' }: WebhookHealth): Work => ({
    steps: deliveries.removeAll(id),
    over: async () => {
      if (isLate(deletedAt)) await store.commit<WebhookHealth>({ remove: webhookHealth, key: id })
    },
  })

  return {
    /** Makes due the held deliveries of activated webhooks, and the deliveries of recoveries. */
    resumeDue: async (mostMs: number): Promise<void> => {
      const due = { index: 'resuming', order: 'asc', limit: MOST_AT_ONCE } as const
      const { rows } = await store.page(webhooks, due)
      await inTurn((await Promise.all(rows.map(({ id }) => resuming(id)))).flat(), mostMs)
    },

    /** Removes the deliveries of deleted webhooks. */
    removeDeleted: async (mostMs: number): Promise<void> => {
      const due = { index: 'deleted', order: 'asc', limit: MOST_AT_ONCE } as const
      const { rows } = await store.page(webhookHealth, due)
      await inTurn(rows.map(removal), mostMs)
    },
  }
}
