import { createAgents } from '../agents/service.ts'
import type { Config } from '../config.ts'
import { messageOf } from '../core/errors.ts'
import { createDeliveries } from '../deliveries/service.ts'
import { createGateway, type Gateway } from '../gateway/service.ts'
import { createOutbox } from '../notifications/outbox.ts'
import type { Announce } from '../notifications/schema.ts'
import { createNotifications } from '../notifications/service.ts'
import type { AgentAdapter } from '../ports/agent.ts'
import type { Breakers } from '../ports/breaker.ts'
import type { Cipher } from '../ports/cipher.ts'
import type { Outbound } from '../ports/outbound.ts'
import type { Consumer, Queue } from '../ports/queue.ts'
import { createDeadLetters } from '../queue/dead-letters.ts'
import { createLetterCheck } from '../queue/reconcile.ts'
import type { QueueStatus } from '../queue/schema.ts'
import { createQueueStatus } from '../queue/status.ts'
import type { GiveUp } from '../tasks/failing.ts'
import type { RunTask, Task } from '../tasks/schema.ts'
import { createTasks } from '../tasks/service.ts'
import { createTotals } from '../tasks/totals.ts'
import { createActiveRuns } from '../worker/active.ts'
import { createLastExit } from '../worker/last-exit.ts'
import { createPool } from '../worker/pool.ts'
import { createWorker } from '../worker/worker.ts'
import type { Entry, EntryPorts } from './entry.ts'

/** How the worker of a queue stands, as the queue's status shows it. */
type WorkerState = Pick<Consumer<unknown>, 'running' | 'concurrency'>

/** The outside world as work needs it. */
export type WorkPorts = EntryPorts & {
  taskQueue: Queue<RunTask> & WorkerState
  notificationQueue: Queue<Announce> & WorkerState
  adapters: readonly AgentAdapter[]
  breakers: Breakers
  outbound: Outbound
  cipher: Cipher
  /** Whether deliveries are sent where they are made, and not by the next tick. */
  sendsAtOnce: boolean
  random: () => number
  queueMode: QueueStatus['mode']
}

/** Storage that could not keep a claim gets this long before the task is tried again. */
const RESEND_MS = 1_000

export type Work = ReturnType<typeof joinWork>

/** Tasks and all that moves them: queues, agents, the worker, the gateway. */
export const joinWork = (entry: Entry, ports: WorkPorts, config: Config) => {
  const { store, taskQueue, notificationQueue, breakers, clock, log } = ports
  const { settings, limiter } = entry
  const retry = () => settings.current().retry
  const active = createActiveRuns()
  const totals = createTotals(store)
  const agents = createAgents({ adapters: ports.adapters, stats: totals.ofAgents, breakers, clock })
  const outbox = createOutbox({ ...ports, queue: notificationQueue })
  const notifications = createNotifications(ports)
  const giveUp: GiveUp = (task, eventId) => {
    const told = outbox.taskFailed(task, eventId)
    return { followers: [...deadLetters.entryFor(task, eventId), ...told.followers], after: told.after }
  }
  const tasks = createTasks({
    ...ports,
    queue: taskQueue,
    agents: { fallback: config.DEFAULT_AGENT, types: agents.types },
    giveUp,
    stopRun: (taskId) => active.stop(taskId, 'cancelled'),
    ended: (task) => gateway.ended(task),
    maxAttempts: () => retry().attempts,
    leaseMs: config.TASK_LEASE_MS,
  })
  const deliveries = createDeliveries({
    ...ports,
    delaysMs: () => settings.current().webhooks.retryDelaysMs,
  })
  const gateway: Gateway = createGateway({
    ...ports,
    tasks,
    limiter,
    callsPerMinute: config.GATEWAY_RATE_LIMIT_RPM,
    addDelivery: deliveries.add,
  })
  const redrive = {
    ...tasks.redrive,
    // It is decided: a request that cannot be opened again costs its task nothing.
    send: async (task: Task) => {
      const lost = (thrown: unknown) =>
        log.error({ taskId: task.id, reason: messageOf(thrown) }, 'nobody will be notified of this run')
      await gateway.reopen(task.id).catch(lost)
      return tasks.redrive.send(task)
    },
  }
  const deadLetters = createDeadLetters({ ...ports, redrive })
  const checkDeadLetters = createLetterCheck({ ...ports, correct: tasks.correct })
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
    sendAgain: ({ id, attempts, priority, repository, createdBy }) =>
      taskQueue.send([
        {
          body: { taskId: id, attempt: attempts },
          priority,
          delayMs: RESEND_MS,
          group: repository ?? createdBy,
        },
      ]),
    retryPolicy: () => ({ baseMs: retry().backoff, type: retry().type }),
    random: ports.random,
    timeoutMs: config.POOL_TIMEOUT_MS,
    clock,
    log,
  })
  return {
    tasks,
    totals,
    deadLetters,
    checkDeadLetters,
    queueStatus,
    agents,
    outbox,
    notifications,
    deliveries,
    gateway,
    active,
    worker,
    lastExit,
    ahead,
  }
}
