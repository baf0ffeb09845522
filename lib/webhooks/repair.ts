import { messageOf } from '../core/errors.ts'
import { iso } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { Position, Store } from '../ports/store.ts'
import type { WebhookTasks } from './needs.ts'
import { type InboundEvent, inboundEvents } from './rows.ts'
import { createSettle } from './settle.ts'

type Needs = { store: Store; tasks: WebhookTasks; clock: Clock; log: Log }

const PAGE = 100
/** Whoever takes an event brings it to its task within moments; this is for those who died before. */
const LEFT_BEHIND_MS = 10_000

/** Goes on through the events that were stored and have come to nothing yet, a page with each call. */
export const createRepair = ({ store, tasks, clock, log }: Needs) => {
  const settle = createSettle({ store, tasks })
  let place: Position | undefined

  /** One that cannot be helped now keeps none of the others from their turn; it comes again with the next round. */
  const settleLogged = async (event: InboundEvent): Promise<void> => {
    try {
      await settle(event)
    } catch (thrown) {
      log.error(
        { event: event.id, reason: messageOf(thrown) },
        'a webhook event has not come to its task yet',
      )
    }
  }

  return async (): Promise<void> => {
    const { rows, next } = await store.page(inboundEvents, {
      index: 'open',
      order: 'asc',
      where: [{ field: 'openSince', to: iso(clock.now() - LEFT_BEHIND_MS) }],
      limit: PAGE,
      ...(place ? { after: place } : {}),
    })
    await Promise.all(rows.map(settleLogged))
    place = next
  }
}
