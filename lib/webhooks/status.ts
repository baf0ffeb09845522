import { iso } from '../core/time.ts'
import type { Store } from '../ports/store.ts'
import { EVENT_COUNTER } from './rows.ts'
import { SENDERS, type Sender, type WebhookStatus } from './schema.ts'

type Needs = { store: Store; isConfigured: (sender: Sender) => boolean }

/** How many events came from each sender whose webhooks are configured, and when the last one came. */
export const createStatus =
  ({ store, isConfigured }: Needs) =>
  async (): Promise<WebhookStatus> => {
    const counters = await store.counters(EVENT_COUNTER)
    const of = (sender: Sender): WebhookStatus[Sender] => {
      if (!isConfigured(sender)) return { configured: false }
      const { events = 0, lastAt } = counters[sender] ?? {}
      return { configured: true, lastEvent: lastAt === undefined ? null : iso(lastAt), eventCount: events }
    }
    const all = SENDERS.map((sender) => [sender, of(sender)])
    // One for each sender there is.
    return Object.fromEntries(all) as WebhookStatus
  }
