import { setImmediate as nextTurn } from 'node:timers/promises'
import { createMemoryQueue } from '../../lib/adapters/memory/queue.ts'
import { openSqliteStore } from '../../lib/adapters/sqlite/store.ts'
import { createLocalDelivery, type LocalNotice, type LocalTurn } from '../../lib/app/local-delivery.ts'
import { collections } from '../../lib/collections.ts'
import { createAuthContext } from '../../lib/composition/auth.ts'
import { createDomains } from '../../lib/composition/domains.ts'
import { createPeople } from '../../lib/composition/people.ts'
import type { Ports } from '../../lib/composition/ports.ts'
import { readConfig } from '../../lib/config/config.ts'
import { createFeed } from '../../lib/feed/feed.ts'
import { createHolds } from '../../lib/holds/service.ts'
import { createLocalWatch } from '../../lib/live/watch.ts'
import { createStoredKeys } from '../../lib/model-keys/stored-keys.ts'
import type { AgentAdapter, AgentResult } from '../../lib/ports/agent.ts'
import type { Store } from '../../lib/ports/store.ts'
import { tasks } from '../../lib/tasks/rows.ts'
import type { RunTask } from '../../lib/tasks/schema.ts'
import { createFakeClock } from '../fakes/clock.ts'
import { createFakeIds } from '../fakes/ids.ts'
import { createFakeLog } from '../fakes/log.ts'
import { fakeHost, processPorts } from '../fakes/ports.ts'

/** A run that ends when the test says so. */
export type HeldRun = {
  attempt: number
  signal: AbortSignal
  succeed(output: string): void
  fail(error: Error): void
}

/** An agent whose runs wait in `runs`. */
const heldAgent = () => {
  const runs: HeldRun[] = []
  const agent: AgentAdapter = {
    type: 'held',
    name: 'Held',
    description: 'Ends when the test says so',
    capabilities: [],
    healthCheck: async () => ({ healthy: true }),
    execute: (_task, { attempt, signal }) =>
      new Promise<AgentResult>((resolve, fail) => {
        runs.push({ attempt, signal, fail, succeed: (output) => resolve({ success: true, output }) })
      }),
  }
  return { agent, runs }
}

/**
 * One file of data and workers over it that know nothing of each other, as containers share a table. Nobody beats for
 * them: each is as a frozen process is to the others.
 */
export const openWorkers = (file: string) => {
  const clock = createFakeClock()
  const ids = createFakeIds(clock)
  const log = createFakeLog()
  const deliveries: ReturnType<typeof createLocalDelivery>[] = []
  // A message has one receiver: here the worker that wrote last.
  let receiver: (typeof deliveries)[number] | undefined
  const store = openSqliteStore({
    file,
    collections,
    clock,
    deliver: async (messages) => receiver?.deliver(messages),
  })
  store.start()
  const config = readConfig({ DEFAULT_AGENT: 'held' })

  /** `through` may stand between this worker and the store. */
  const openWorker = async (through: (store: Store) => Store = (plain) => plain) => {
    const { agent, runs } = heldAgent()
    const taskQueue = createMemoryQueue<RunTask>({ clock, log, concurrency: 10 })
    const notificationQueue = createMemoryQueue<LocalNotice>({ clock, log, concurrency: 5 })
    const turns = createMemoryQueue<LocalTurn>({ clock, log, concurrency: 5 })
    const queues = { tasks: taskQueue, notices: notificationQueue, turns }
    const delivery = createLocalDelivery({ ...queues, clock, log })
    deliveries.push(delivery)
    const own = through({
      ...store,
      commit: (...change) => {
        receiver = delivery
        return store.commit(...change)
      },
    })
    const inProcess = processPorts({ clock, ids, log })
    const ports: Ports = {
      store: own,
      holds: createHolds({ ...inProcess, store: own }),
      modelKeys: createStoredKeys({ ...inProcess, store: own }),
      feed: createFeed({ store: own, clock, ids }),
      taskQueue,
      runnerQueue: taskQueue,
      notificationQueue,
      liveWatch: createLocalWatch(clock),
      ...inProcess,
    }
    const people = createPeople(createAuthContext(ports, config), ports, config)
    const domains = createDomains(people, ports, fakeHost([agent]), config)
    taskQueue.start(({ body }) => domains.worker.run(body))
    return { ...domains, runs, tick: () => domains.tasks.recovery.tick(domains.active.has) }
  }

  /** Resolves when what was under way has been written: commits are decided in order, the one made here after it. */
  const settled = async () => {
    for (let round = 0; round < 3; round += 1) {
      for (let turn = 0; turn < 5; turn += 1) await nextTurn()
      await store.commit({ remove: tasks, key: 'nobody' })
    }
  }

  return {
    openWorker,
    settled,
    clock,
    leaseMs: config.TASK_LEASE_MS,
    [Symbol.asyncDispose]: async () => {
      for (const delivery of deliveries) delivery.stop()
      await store.close()
    },
  }
}

export type Worker = Awaited<ReturnType<ReturnType<typeof openWorkers>['openWorker']>>
