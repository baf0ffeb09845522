import { openDynamoDb, openSqs } from '../adapters/aws/clients.ts'
import { createChangeConsumer } from '../adapters/aws/dynamodb/change-consumer.ts'
import { createSqsQueue } from '../adapters/aws/sqs/queue.ts'
import { collections } from '../collections.ts'
import { type Config, readConfig } from '../config/config.ts'
import type { Channel, Message } from '../core/collection.ts'
import { errorMessage } from '../core/errors.ts'
import { createFeed } from '../feed/feed.ts'
import { createStreamPublisher } from '../live/publishing.ts'
import { createStoredWatch } from '../live/watch.ts'
import { SUBSCRIPTIONS_ID, subscriptionsRows } from '../outbound-webhooks/rows.ts'
import { hasSubscriber, subscribedEvents } from '../outbound-webhooks/subscriptions.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { Outgoing, Queue } from '../ports/queue.ts'
import type { Store } from '../ports/store.ts'
import type { EmittedEntry } from '../tasks/schema.ts'
import { openStorage, tableNames } from './cloud-ports.ts'
import { openTaskQueue } from './cloud-task-queue.ts'
import { required } from './required.ts'

type Channels = Readonly<Record<Channel, Pick<Queue<object>, 'send' | 'longestDelayMs'>>>
type Needs = { channels: Channels; clock: Pick<Clock, 'now'> }

/** Sends messages to the queues of their channels, with the longest delay where a queue allows no longer one. */
const createDelivery =
  ({ channels, clock }: Needs) =>
  async (messages: readonly Message[]): Promise<void> => {
    const byChannel = Map.groupBy(messages, ({ to }) => to)
    const sent = [...byChannel].map(async ([to, some]) => {
      const queue = channels[to]
      if (queue === undefined) throw new Error(`No channel is called ${to}`)
      await queue.send(some.map((message) => outgoing(message, clock.now(), queue.longestDelayMs)))
    })
    // All sends have ended before the call resolves, so nothing continues in a frozen function.
    const failed = (await Promise.allSettled(sent)).find(({ status }) => status === 'rejected')
    if (failed?.status === 'rejected') throw failed.reason
  }

const outgoing = (
  { body, priority = 3, notBefore, group }: Message,
  now: number,
  longestDelayMs: number,
): Outgoing<object> => {
  const delayMs =
    notBefore === undefined ? 0 : Math.min(longestDelayMs, Math.max(0, Date.parse(notBefore) - now))
  return { body, priority, delayMs, ...(group === undefined ? {} : { group }) }
}

type Emitted = Message & { body: { kind: 'emitted'; entry: EmittedEntry } }
const isEmitted = (message: Message): message is Emitted =>
  message.to === 'notices' && (message.body as { kind?: unknown }).kind === 'emitted'

type SubscribedNeeds = { store: Pick<Store, 'get'>; log: Pick<Log, 'warn'> }

/**
 * Leaves out notices of events without a subscribed webhook. The subscriptions are read after the changes, once a
 * batch: a webhook gets every change after the answer to its registration. When they cannot be read all notices are
 * sent.
 */
const createSubscribedOnly =
  ({ store, log }: SubscribedNeeds) =>
  async (messages: readonly Message[]): Promise<readonly Message[]> => {
    if (!messages.some(isEmitted)) return messages
    try {
      const subscribed = subscribedEvents(await store.get(subscriptionsRows, SUBSCRIPTIONS_ID))
      return messages.filter(
        (message) => !isEmitted(message) || hasSubscriber(message.body.entry.type, subscribed),
      )
    } catch (thrown) {
      log.warn({ reason: errorMessage(thrown) }, 'the subscriptions of webhooks were not read')
      return messages
    }
  }

export const openChanges = (config: Config = readConfig()) => {
  const storage = openStorage(config)
  const { clock, log } = storage
  const region = config.AWS_REGION
  const client = openSqs({ region, endpoint: config.SQS_ENDPOINT })
  const queue = (urls: { normal: string; urgent?: string }) => createSqsQueue<object>({ client, urls, clock })
  const channels = {
    // A collection's message has an object as its body; those of `run` are run messages.
    run: openTaskQueue(config, { client, clock, log }) as Queue<object>,
    // A turn continues in the worker, which has models and tools.
    turns: queue({
      urgent: required(config, 'TASK_URGENT_QUEUE_URL'),
      normal: required(config, 'TASK_QUEUE_URL'),
    }),
    notices: queue({ normal: required(config, 'NOTIFICATION_QUEUE_URL') }),
  }
  const deliver = createDelivery({ channels, clock })
  const subscribedOnly = createSubscribedOnly(storage)
  return createChangeConsumer({
    client: openDynamoDb({ region, endpoint: config.DYNAMODB_ENDPOINT }),
    collections,
    clock,
    tableName: tableNames(config.TABLE_PREFIX),
    deliver: async (messages) => deliver(await subscribedOnly(messages)),
    publish: createStreamPublisher(createStoredWatch(storage), { feed: createFeed(storage), log }),
    log,
  })
}
