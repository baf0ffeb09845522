import { createMemoryQueue } from '../../lib/adapters/memory/queue.ts'
import { createClock } from '../../lib/adapters/node/clock.ts'
import { createOutbound } from '../../lib/adapters/node/outbound.ts'
import { createSmtp } from '../../lib/adapters/node/smtp.ts'
import { openSqliteStore, type SqliteStore } from '../../lib/adapters/sqlite/store.ts'
import { createWebSearchProviders } from '../../lib/adapters/web-search/catalog.ts'
import { createBackground } from '../../lib/app/background.ts'
import { createLocalDelivery, type LocalNotice, type LocalTurn } from '../../lib/app/local-delivery.ts'
import { openTaskQueue } from '../../lib/app/task-queue.ts'
import type { ContinueTurn } from '../../lib/approvals/schema.ts'
import { collections } from '../../lib/collections.ts'
import { createAuthContext } from '../../lib/composition/auth.ts'
import { createDomains } from '../../lib/composition/domains.ts'
import { createPeople } from '../../lib/composition/people.ts'
import type { Ports } from '../../lib/composition/ports.ts'
import { type Config, readConfig } from '../../lib/config/config.ts'
import { definedFields } from '../../lib/core/defined-fields.ts'
import type { Principal } from '../../lib/core/principal.ts'
import { createFeed } from '../../lib/feed/feed.ts'
import { createHolds } from '../../lib/holds/service.ts'
import { createLocalPublisher, createProgressPublisher } from '../../lib/live/publishing.ts'
import { createLocalWatch } from '../../lib/live/watch.ts'
import { createStoredKeys } from '../../lib/model-keys/stored-keys.ts'
import type { AgentAdapter } from '../../lib/ports/agent.ts'
import type { Ids } from '../../lib/ports/ids.ts'
import type { MemoryFiles } from '../../lib/ports/memory-files.ts'
import type { Outbound } from '../../lib/ports/outbound.ts'
import type { ProviderFetch } from '../../lib/ports/provider-fetch.ts'
import type { Consumer, Queue } from '../../lib/ports/queue.ts'
import type { Store } from '../../lib/ports/store.ts'
import type { TaskStatus } from '../../lib/tasks/machine.ts'
import { CreateTaskSchema, type RunTask } from '../../lib/tasks/schema.ts'
import { createFakeAgent } from './agent.ts'
import { createFakeClock, type FakeClock } from './clock.ts'
import { createFakeIds } from './ids.ts'
import { createFakeLog, lastLoggedError } from './log.ts'
import { fakeHost, processPorts } from './ports.ts'

export const ANN: Principal = { userId: 'user_ann', role: 'user' }
export const BOB: Principal = { userId: 'user_bob', role: 'user' }

type TaskQueue = Queue<RunTask> & Consumer<RunTask>
type NoticeQueue = Queue<LocalNotice> & Consumer<LocalNotice>

type Delivery = { to: ReturnType<typeof createLocalDelivery> }

type Options = {
  /** Where storage lies; in memory when absent. */
  file?: string
  adapters?: readonly AgentAdapter[]
  env?: Record<string, string>
  /** What the last process left: its storage, its time and its ids. */
  after?: { store: SqliteStore; clock: FakeClock; ids: Ids; delivery: Delivery }
  /** Faults between the domains and the real parts. */
  wrapStore?: (store: Store) => Store
  wrapTaskQueue?: (queue: TaskQueue) => TaskQueue
  wrapNotificationQueue?: (queue: NoticeQueue) => NoticeQueue
  outbound?: Outbound
  providerFetch?: ProviderFetch
  /** What goes on after an approval, in place of nothing. */
  continueTurn?: ContinueTurn
  memoryFiles?: MemoryFiles
  /** The time after which a proxy in front of the service gives up. */
  longestWaitMs?: number
  /** The most bytes of a request and of an answer, as in a function. */
  mostBodyBytes?: number
  /** Tasks are counted against the caps in storage, as where many processes run them. */
  sharesPlaces?: boolean
  /** The longest attempt, as in a function. */
  longestAttemptMs?: number
  /** False leaves the workers and the tick asleep until `background.start()`. */
  background?: boolean
}

export type StartedDomains = Awaited<ReturnType<typeof startDomains>>

/** Lets what is under way come to rest: `count` turns of the event loop, in which storage commits and queues deliver. */
export const turns = async (count = 12): Promise<void> => {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve))
}

/** Waits, turn by turn, for something that is certain to come; its own failure names it after 5,000 turns. */
export const until = async (true_: () => boolean | Promise<boolean>): Promise<void> => {
  for (let turn = 0; turn < 5_000; turn++) {
    if (await true_()) return
    await turns(1)
  }
  throw new Error(`never came: ${true_}${lastLoggedError()}`)
}

/** Lets time pass in steps, so that what one timer starts is done before the next one fires. */
export const pass = async (clock: FakeClock, ms: number, stepMs = Math.max(50, ms / 200)): Promise<void> => {
  for (let left = ms; left > 0; left -= stepMs) {
    clock.advance(Math.min(stepMs, left))
    await turns(6)
  }
}

const NO_CAPS = { perAgent: 0, perRepository: 0, perUser: 0 }

/** The mail server is a real one, so its time is. */
const mailerOf = ({ SMTP_URL: url, SMTP_FROM: from = '' }: Config) =>
  url === undefined ? {} : { mailer: createSmtp({ url, from, clock: createClock() }) }

/** All domains joined as in production, over real SQLite in memory and real queues; time, ids and log are fakes. */
export const startDomains = async (options: Options = {}) => {
  const { adapters = [createFakeAgent()], env = {}, after, background: awake = true } = options
  const clock = after?.clock ?? createFakeClock()
  const ids = after?.ids ?? createFakeIds(clock)
  const log = createFakeLog()
  const config = readConfig({ DEFAULT_AGENT: adapters[0]?.type ?? 'none', ...env })
  const concurrency = Math.min(config.QUEUE_CONCURRENCY, config.POOL_MAX_CONCURRENT)
  const { taskQueue, places } = openTaskQueue({
    clock,
    log,
    concurrency,
    caps: () => (options.sharesPlaces ? NO_CAPS : joined.settings.current().concurrency),
  })
  const notificationQueue = createMemoryQueue<LocalNotice>({ clock, log, concurrency: 5 })
  const turnQueue = createMemoryQueue<LocalTurn>({ clock, log, concurrency: 5 })
  const queues = {
    turns: turnQueue,
    tasks: options.wrapTaskQueue?.(taskQueue) ?? taskQueue,
    notices: options.wrapNotificationQueue?.(notificationQueue) ?? notificationQueue,
  }
  // A store that the last process left delivers to the queues of this one.
  const delivery = { to: createLocalDelivery({ ...queues, clock, log }) }
  if (after) after.delivery.to = delivery.to
  const liveWatch = createLocalWatch(clock)
  const publisher = createLocalPublisher(liveWatch, {
    clock,
    log,
    feed: { append: (...entries) => ports.feed.append(...entries) },
  })
  const store =
    after?.store ??
    openSqliteStore({
      file: options.file ?? ':memory:',
      collections,
      clock,
      deliver: (messages) => delivery.to.deliver(messages),
      publisher,
    })
  const wrapped = options.wrapStore?.(store) ?? store
  const outbound = options.outbound ?? createOutbound({ clock, allow: config.OUTBOUND_ALLOW_HOSTS })
  const inProcess = processPorts({ clock, ids, log }, config)
  const ports: Ports = {
    store: wrapped,
    holds: createHolds({ ...inProcess, store: wrapped }),
    modelKeys: createStoredKeys({ ...inProcess, store: wrapped }),
    feed: createFeed({ store: wrapped, clock, ids }),
    taskQueue: queues.tasks,
    runnerQueue: taskQueue,
    ...(options.sharesPlaces ? {} : { places }),
    notificationQueue: queues.notices,
    liveWatch,
    publishProgress: createProgressPublisher({ publish: publisher.publish, clock }),
    ...inProcess,
    ...definedFields({ memoryFiles: options.memoryFiles, providerFetch: options.providerFetch }),
    ...definedFields({
      longestWaitMs: options.longestWaitMs,
      mostBodyBytes: options.mostBodyBytes,
      longestAttemptMs: options.longestAttemptMs,
    }),
    ...mailerOf(config),
    outbound,
    webSearchProviders: createWebSearchProviders({ outbound, clock }),
  }
  const people = createPeople(createAuthContext(ports, config), ports, config)
  const joined = createDomains(people, ports, fakeHost(adapters), config)
  joined.settings.onRead(() => taskQueue.admit())
  const domains = options.continueTurn ? { ...joined, continueTurn: options.continueTurn } : joined
  const background = createBackground(
    ports,
    domains,
    { tasks: taskQueue, notices: notificationQueue, turns: turnQueue },
    config,
    {
      deliverMessages: store.start,
      expiredRows: store.sweep,
      workspaces: async () => undefined,
    },
  )
  if (awake) await background.start()

  const create = (body: object = {}, principal = ANN) =>
    domains.tasks.create(principal, CreateTaskSchema.parse({ title: 'A task', ...body }))
  return {
    ...domains,
    ports,
    config,
    clock,
    ids,
    log,
    store,
    delivery: after?.delivery ?? delivery,
    background,
    create,
    pass: (ms: number, stepMs?: number) => pass(clock, ms, stepMs),
    /** Creates a task and lets it come to rest. */
    run: async (body: object = {}) => {
      const { id } = await create(body)
      await turns()
      return domains.tasks.get(id)
    },
    /** The task once it is in that state. */
    reaches: async (id: string, status: TaskStatus) => {
      await until(async () => (await domains.tasks.get(id)).status === status)
      return domains.tasks.get(id)
    },
    eventTypes: async (id: string) => (await domains.tasks.events(id)).events.map(({ type }) => type),
    [Symbol.asyncDispose]: async () => {
      delivery.to.stop()
      await store.close()
    },
  }
}
