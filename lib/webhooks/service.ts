import { iso } from '../core/time.ts'
import type { Trace } from '../core/trace.ts'
import type { Store } from '../ports/store.ts'
import type { Task } from '../tasks/schema.ts'
import type { Received } from './contract.ts'
import { createDeduplicate } from './deduplicate.ts'
import { createReceive, type Incoming } from './receive.ts'
import { EVENT_COUNTER } from './rows.ts'
import { SENDERS, type Sender, type WebhookStatus } from './schema.ts'

type StatusNeeds = { store: Store; isConfigured: (sender: Sender) => boolean }

const createStatus =
  ({ store, isConfigured }: StatusNeeds) =>
  async (): Promise<WebhookStatus> => {
    const counters = await store.counters(EVENT_COUNTER)
    const of = (sender: Sender): WebhookStatus[Sender] => {
      if (!isConfigured(sender)) return { configured: false }
      const { events = 0, lastAt } = counters[sender] ?? {}
      return { configured: true, lastEvent: lastAt === undefined ? null : iso(lastAt), eventCount: events }
    }
    const all = SENDERS.map((sender) => [sender, of(sender)])
    // The entries cover every sender.
    return Object.fromEntries(all) as WebhookStatus
  }

type Needs = Parameters<typeof createReceive>[0] & Parameters<typeof createDeduplicate>[0]

export type Inbound = ReturnType<typeof createInbound>

/** Events of a code host and of trackers, and their tasks. */
export const createInbound = (needs: Needs) => {
  const { store, secrets } = needs
  const readEvent = createReceive(needs)
  const deduplicate = createDeduplicate(needs)

  /** Receives an event. When this resolves, the event and its task are stored; when it rejects, neither is. */
  const receive = async (sender: Sender, incoming: Incoming, trace?: Trace): Promise<Received> => {
    const { event, task } = await deduplicate(await readEvent(sender, incoming), trace)
    if (task === undefined) return { message: event.nothing ?? 'The task of this event no longer exists' }
    const message =
      event.makes === task.id ? 'This event already created a task' : 'A task for this already exists'
    return { message, task: withoutOutcome(task) }
  }

  return {
    receive,
    status: createStatus({ store, isConfigured: (sender) => secrets[sender].webhookSecret !== undefined }),
  }
}

/** The task without its results: senders show answers to others, and results are for users who sign in. */
const withoutOutcome = ({ result: _result, error: _error, usage: _usage, ...task }: Task) => task
