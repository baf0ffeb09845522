import { createMemoryQueue } from '../../lib/adapters/memory/queue.ts'
import { createOutbound } from '../../lib/adapters/node/outbound.ts'
import { openSqliteStore, type SqliteStore } from '../../lib/adapters/sqlite/store.ts'
import { createBackground } from '../../lib/background.ts'
import { collections } from '../../lib/collections.ts'
import { readConfig } from '../../lib/config.ts'
import type { Principal } from '../../lib/core/principal.ts'
import { createDomains, type Ports } from '../../lib/domains.ts'
import type { Announce } from '../../lib/notifications/schema.ts'
import type { AgentAdapter } from '../../lib/ports/agent.ts'
import type { Ids } from '../../lib/ports/ids.ts'
import type { MemoryFiles } from '../../lib/ports/memory-files.ts'
import type { Outbound } from '../../lib/ports/outbound.ts'
import type { Consumer, Queue } from '../../lib/ports/queue.ts'
import type { Store } from '../../lib/ports/store.ts'
import type { TaskStatus } from '../../lib/tasks/machine.ts'
import { CreateTaskSchema, type RunTask } from '../../lib/tasks/schema.ts'
import { createFakeAgent } from './agent.ts'
import { createFakeClock, type FakeClock } from './clock.ts'
import { createFakeIds } from './ids.ts'
import { createFakeLog } from './log.ts'
import { processPorts } from './ports.ts'

export const ANN: Principal = { userId: 'user_ann', role: 'user' }
export const BOB: Principal = { userId: 'user_bob', role: 'user' }

type TaskQueue = Queue<RunTask> & Consumer<RunTask>
type AnnounceQueue = Queue<Announce> & Consumer<Announce>

type Options = {
  /** Where storage lies; in memory when absent. */
  file?: string
  adapters?: readonly AgentAdapter[]
  env?: Record<string, string>
  /** What the last process left: its storage, its time and its ids. */
  after?: { store: SqliteStore; clock: FakeClock; ids: Ids }
  /** Faults between the domains and the real parts. */
  wrapStore?: (store: Store) => Store
  wrapTaskQueue?: (queue: TaskQueue) => TaskQueue
  wrapNotificationQueue?: (queue: AnnounceQueue) => AnnounceQueue
  outbound?: Outbound
  memoryFiles?: MemoryFiles
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
  throw new Error(`never came: ${true_}`)
}

/** Lets time pass in steps, so that what one timer starts is done before the next one fires. */
export const pass = async (clock: FakeClock, ms: number, stepMs = Math.max(50, ms / 200)): Promise<void> => {
  for (let left = ms; left > 0; left -= stepMs) {
    clock.advance(Math.min(stepMs, left))
    await turns(6)
  }
}

/** All domains joined as in production, over real SQLite in memory and real queues; time, ids and log are fakes. */
export const startDomains = async (options: Options = {}) => {
  const { adapters = [createFakeAgent()], env = {}, after, background: awake = true } = options
  const clock = after?.clock ?? createFakeClock()
  const ids = after?.ids ?? createFakeIds()
  const log = createFakeLog()
  const store = after?.store ?? openSqliteStore({ file: options.file ?? ':memory:', collections, clock })
  const config = readConfig({ DEFAULT_AGENT: adapters[0]?.type ?? 'none', ...env })
  const taskQueue = createMemoryQueue<RunTask>({ clock, log, concurrency: config.QUEUE_CONCURRENCY })
  const notificationQueue = createMemoryQueue<Announce>({ clock, log, concurrency: 5 })
  const ports: Ports = {
    store: options.wrapStore?.(store) ?? store,
    taskQueue: options.wrapTaskQueue?.(taskQueue) ?? taskQueue,
    notificationQueue: options.wrapNotificationQueue?.(notificationQueue) ?? notificationQueue,
    adapters,
    ...processPorts({ clock, ids, log }),
    ...(options.memoryFiles ? { memoryFiles: options.memoryFiles } : {}),
    outbound: options.outbound ?? createOutbound({ clock, allow: config.OUTBOUND_ALLOW_HOSTS }),
  }
  const domains = createDomains(ports, config)
  const background = createBackground(
    ports,
    domains,
    { tasks: taskQueue, notifications: notificationQueue },
    config,
    {
      expiredRows: store.sweep,
      workspaces: async () => undefined,
    },
  )
  if (awake) await background.start()

  const create = (body: object = {}, principal = ANN) =>
    domains.tasks.create(principal, CreateTaskSchema.parse({ title: 'A task', ...body }))
  return {
    ...domains,
    ...{ ports, config, clock, ids, log, store, background, create },
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
      await store.close()
    },
  }
}
