import type { PageRange } from '../core/page.ts'
import { isTooLate } from '../core/wrong-clock.ts'
import type { AddDelivery, DeliveryRow, NewDelivery } from '../deliveries/schema.ts'
import type { Clock } from '../ports/clock.ts'
import type { Page, Store } from '../ports/store.ts'
import { type WebhookHealth, type WebhookRow, webhookHealth, webhooks } from './rows.ts'

/** The verbs of deliveries that webhooks call; each delivery belongs to one webhook, see `createOwnedDeliveries`. */
type WebhookDeliveries = {
  add: AddDelivery
  page(owner: string, range: PageRange, status?: DeliveryRow['status']): Promise<Page<DeliveryRow>>
  count(owner: string, status?: DeliveryRow['status']): Promise<number>
  firstStopped(owner: string): Promise<DeliveryRow | undefined>
  countFailed(owner: string, since: string): Promise<number>
  get(owner: string, id: string): Promise<DeliveryRow>
  take(row: DeliveryRow): Promise<DeliveryRow | undefined>
  insert(delivery: NewDelivery): Promise<DeliveryRow | undefined>
  sendNow(row: DeliveryRow): Promise<void>
  resume(owner: string, failed: { from: string; to: string } | undefined): AsyncGenerator<unknown>
  removeAll(owner: string): AsyncGenerator<unknown>
}

type Needs = { store: Store; clock: Clock; deliveries: WebhookDeliveries }

const MOST_AT_ONCE = 100
/** Longer than an index lags its rows, and a notice takes that is handled during a change. */
const LATE_ROWS_MS = 60_000

/** The work on the deliveries of a webhook; each step is one page. */
type Work = { steps: AsyncIterator<unknown>; end: () => Promise<unknown> }

/**
 * Makes deliveries of activated webhooks due again, and removes those of deleted ones: page by page, for `mostMs`, on
 * all webhooks in turn; the next call continues.
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
        if ((await work.steps.next()).done) await work.end()
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
    return [{ steps: deliveries.resume(id, failed), end: async () => isLate(resumeAt) && end() }]
  }

  const removal = ({ id, deletedAt = '' }: WebhookHealth): Work => ({
    steps: deliveries.removeAll(id),
    end: async () => isLate(deletedAt) && store.commit<WebhookHealth>({ remove: webhookHealth, key: id }),
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
