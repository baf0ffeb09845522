import { iso } from '../core/time.ts'
import type { Store, Tally } from '../ports/store.ts'
import type { InboundEvent } from './rows.ts'
import { SENDERS, type Sender, type WebhookStatus } from './schema.ts'

const GROUP = 'webhooks'

/** What an event adds to the totals of its sender; the same event that comes again adds nothing. */
export const tallyOf = ({ sender, receivedAt }: InboundEvent): Tally => ({
  tally: GROUP,
  member: sender,
  add: { events: 1 },
  most: { lastAt: Date.parse(receivedAt) },
})

type Needs = { store: Store; isConfigured: (sender: Sender) => boolean }

/** What came from each sender, where its webhooks are configured. */
export const createStatus =
  ({ store, isConfigured }: Needs) =>
  async (): Promise<WebhookStatus> => {
    const totals = await store.tallies(GROUP)
    const of = (sender: Sender): WebhookStatus[Sender] => {
      if (!isConfigured(sender)) return { configured: false }
      const { events = 0, lastAt } = totals[sender] ?? {}
      return { configured: true, lastEvent: lastAt === undefined ? null : iso(lastAt), eventCount: events }
    }
    const all = SENDERS.map((sender) => [sender, of(sender)])
    // One for each sender there is.
    return Object.fromEntries(all) as WebhookStatus
  }
