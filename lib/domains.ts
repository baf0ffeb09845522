import { createAgents } from './agents/service.ts'
import type { Config } from './config.ts'
import { createOutbox } from './notifications/outbox.ts'
import type { Announce } from './notifications/schema.ts'
import { createNotifications } from './notifications/service.ts'
import type { AgentAdapter } from './ports/agent.ts'
import type { Breakers } from './ports/breaker.ts'
import type { Clock } from './ports/clock.ts'
import type { Ids } from './ports/ids.ts'
import type { Log } from './ports/log.ts'
import type { Consumer, Queue } from './ports/queue.ts'
import type { Store } from './ports/store.ts'
import { createDeadLetters } from './queue/dead-letters.ts'
import type { QueueStatus } from './queue/schema.ts'
import { createQueueStatus } from './queue/status.ts'
import type { GiveUp } from './tasks/failing.ts'
import type { RunTask } from './tasks/schema.ts'
import { createTasks } from './tasks/service.ts'
import { createTotals } from './tasks/totals.ts'
import { createActiveRuns } from './worker/active.ts'
import { createLastExit } from './worker/last-exit.ts'
import { createPool } from './worker/pool.ts'
import { createWorker } from './worker/worker.ts'

/** How the worker of a queue stands, as the queue's status shows it. */
type WorkerState = Pick<Consumer<unknown>, 'running' | 'concurrency'>

/** The outside world as the domains see it. */
export type Ports = {
  store: Store
  taskQueue: Queue<RunTask> & WorkerState
  notificationQueue: Queue<Announce> & WorkerState
  adapters: readonly AgentAdapter[]
  breakers: Breakers
  clock: Clock
  ids: Ids
  log: Log
  random: () => number
  queueMode: QueueStatus['mode']
}

/** Storage that could not keep a claim gets this long before the task is tried again. */
const RESEND_MS = 1_000

export type Domains = ReturnType<typeof createDomains>

/** Joins the domains: a verb that one needs of another is handed over here, and nowhere else. */
export const createDomains = (ports: Ports, config: Config) => {
  const { store, taskQueue, notificationQueue, breakers, clock, log } = ports
  const active = createActiveRuns()
  const totals = createTotals(store)
  const agents = createAgents({ adapters: ports.adapters, stats: totals.ofAgents, breakers, clock })
  const outbox = createOutbox({ ...ports, queue: notificationQueue })
  const notifications = createNotifications(ports)
  const giveUp: GiveUp = (task) => {
    const told = outbox.taskFailed(task)
    return { followers: [...deadLetters.entryFor(task), ...told.followers], after: told.after }
  }
  const tasks = createTasks({
    ...ports,
    queue: taskQueue,
    agents: { fallback: config.DEFAULT_AGENT, types: agents.types },
    giveUp,
    stopRun: (taskId) => active.stop(taskId, 'cancelled'),
    maxAttempts: () => config.QUEUE_RETRY_ATTEMPTS,
    leaseMs: config.TASK_LEASE_MS,
  })
  const deadLetters = createDeadLetters({ ...ports, redrive: tasks.redrive })
  const queueStatus = createQueueStatus({
    mode: ports.queueMode,
    taskCounts: totals.byStatus,
    deadLetterCounts: deadLetters.countAll,
    workers: { tasks: taskQueue, notifications: notificationQueue },
  })
  const lastExit = createLastExit(store)
  // A task that kills its process must not do so uncounted, so after a death every claim is durable first.
  const ahead = { allowed: false }
  const worker = createWorker({
    runs: tasks.runs,
    agent: agents.get,
    active,
    pool: createPool(config.POOL_MAX_CONCURRENT),
    mayRunAhead: () => ahead.allowed,
    sendAgain: ({ id, attempts, priority }) =>
      taskQueue.send([{ body: { taskId: id, attempt: attempts }, priority, delayMs: RESEND_MS }]),
    retryPolicy: () => ({ baseMs: config.QUEUE_RETRY_BACKOFF_MS, type: config.QUEUE_RETRY_TYPE }),
    random: ports.random,
    timeoutMs: config.POOL_TIMEOUT_MS,
    clock,
    log,
  })
  return {
    tasks,
    totals,
    deadLetters,
    queueStatus,
    agents,
    outbox,
    notifications,
    active,
    worker,
    lastExit,
    ahead,
  }
}
