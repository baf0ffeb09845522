import type { PageQuery } from '../core/page.ts'
import type { AddDelivery, DeliveryRow, NewDelivery } from '../deliveries/schema.ts'
import type { Clock } from '../ports/clock.ts'
import type { Page, Store } from '../ports/store.ts'
import { type WebhookHealth, type WebhookRow, webhookHealth, webhooks } from './rows.ts'

/** What the webhooks need of deliveries, each of which belongs to one of them; see `createOwnedDeliveries`. */
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

/** As many as there may be webhooks. */
const MOST_AT_ONCE = 100
/**
 * An index may follow its rows by some seconds, and a notice that was handled at the time of a change adds its deliveries
 * after it. What came so late is found by the calls of this time.
 */
const LATE_ROWS_MS = 60_000

/** Work on the deliveries of a webhook; each step is a page of them. */
type Work = { steps: AsyncIterator<unknown>; over: () => Promise<unknown> }

/**
 * What follows from a change of a webhook for the deliveries that it has: those of an active one are made due again, those
 * of a deleted one are removed. Each call works for `mostMs`, page by page, with the webhooks in turn, and the next one goes
 * on from there.
 */
export const createDeliveryUpkeep = ({ store, clock, deliveries }: Needs) => {
  const isLate = (at: string): boolean => clock.now() - Date.parse(at) >= LATE_ROWS_MS

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

  /** The steps for a webhook that is active; one that was paused again keeps what it has, and is done at once. */
  const resuming = async (id: string): Promise<Work[]> => {
    const row = await store.get(webhooks, id)
    if (row?.resumeAt === undefined) return []
    const { resumeAt, recoverSince, active } = row
    const end = () =>
      store.commit<WebhookRow>({
        ...{ update: webhooks, key: id },
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
    /** Makes due what was held for a webhook that is active again, and what is to be recovered. */
    resumeDue: async (mostMs: number): Promise<void> => {
      const due = { index: 'resuming', order: 'asc', limit: MOST_AT_ONCE } as const
      const { rows } = await store.page(webhooks, due)
      await inTurn((await Promise.all(rows.map(({ id }) => resuming(id)))).flat(), mostMs)
    },

    /** Removes the deliveries of webhooks that were deleted. */
    removeDeleted: async (mostMs: number): Promise<void> => {
      const due = { index: 'deleted', order: 'asc', limit: MOST_AT_ONCE } as const
      const { rows } = await store.page(webhookHealth, due)
      await inTurn(rows.map(removal), mostMs)
    },
  }
}
