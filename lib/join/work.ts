import { createAgents } from '../agents/service.ts'
import type { Config } from '../config.ts'
import { createDeliveries } from '../deliveries/service.ts'
import { createGateway, type Gateway } from '../gateway/service.ts'
import { createNotifications } from '../notifications/service.ts'
import type { AgentAdapter, RunProgram } from '../ports/agent.ts'
import type { Breakers } from '../ports/breaker.ts'
import type { Cipher } from '../ports/cipher.ts'
import type { Feed } from '../ports/feed.ts'
import type { Outbound } from '../ports/outbound.ts'
import type { Consumer, Queue } from '../ports/queue.ts'
import type { Repositories } from '../ports/repositories.ts'
import { createDeadLetters } from '../queue/dead-letters.ts'
import type { QueueStatus } from '../queue/schema.ts'
import { createQueueStatus } from '../queue/status.ts'
import { createTaskCounters } from '../tasks/counters.ts'
import type { RunTask } from '../tasks/schema.ts'
import { createTasks } from '../tasks/service.ts'
import { createActiveRuns } from '../worker/active.ts'
import { createPool } from '../worker/pool.ts'
import type { OpenRunEvents } from '../worker/run.ts'
import { createWorker } from '../worker/worker.ts'
import type { AuthContext, AuthPorts } from './auth-context.ts'
import { createNotices, type Notice } from './notices.ts'

/** How the worker of a queue stands, as the queue's status shows it. */
type WorkerState = Pick<Consumer<unknown>, 'running' | 'concurrency'>

/** The outside world as work needs it. */
export type WorkPorts = AuthPorts & {
  taskQueue: Queue<RunTask> & WorkerState
  notificationQueue: WorkerState
  feed: Feed
  adapters: readonly AgentAdapter[]
  /** Absent where no agents run, as the events of their runs. */
  runProgram?: RunProgram
  openEvents?: OpenRunEvents
  breakers: Breakers
  outbound: Outbound
  repositories: Pick<Repositories, 'check'>
  cipher: Cipher
  random: () => number
  queueMode: QueueStatus['mode']
}

const withoutEvents: OpenRunEvents = () => ({ observe: () => undefined, end: () => undefined })

const runsElsewhere: RunProgram = async () => {
  throw new Error('Agents run in the worker function')
}

export type Work = ReturnType<typeof joinWork>

/** Tasks and all that moves them: queues, agents, the worker, the gateway. */
export const joinWork = (entry: AuthContext, ports: WorkPorts, config: Config) => {
  const { store, taskQueue, notificationQueue, breakers, clock, log, masker } = ports
  const { settings, limiter } = entry
  const retry = () => settings.current().retry
  const active = createActiveRuns()
  const counters = createTaskCounters(store)
  const agents = createAgents({
    adapters: ports.adapters,
    stats: counters.ofAgents,
    ...{ breakers, clock, masker },
  })
  const notifications = createNotifications(ports)
  const tasks = createTasks({
    ...ports,
    queue: taskQueue,
    agents: { fallback: config.DEFAULT_AGENT, types: agents.types },
    deadLetterOf: (task, eventId) => deadLetters.deadLetterOf(task, eventId),
    resolveDeadLetter: (eventId, resolution) => deadLetters.resolving(eventId, resolution),
    stopRun: (taskId) => active.stop(taskId, 'cancelled'),
    ended: async ({ id }) => gateway.complete(id),
    limiter,
    audit: entry.audit.record,
    maxAttempts: () => retry().attempts,
    leaseMs: config.TASK_LEASE_MS,
  })
  const deadLetters = createDeadLetters({
    ...ports,
    redrive: {
      find: tasks.find,
      failureOf: tasks.failureOf,
      writeOf: tasks.redrive.writeOf,
      sendAgain: tasks.recovery.sendAgain,
    },
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
  const queueStatus = createQueueStatus({
    mode: ports.queueMode,
    taskCounts: counters.byStatus,
    deadLetterCounts: deadLetters.countAll,
    workers: { tasks: taskQueue, notifications: notificationQueue },
  })
  const slots = createPool(taskQueue.concurrency)
  const worker = createWorker({
    lease: tasks.lease,
    agent: agents.get,
    active,
    pool: createPool(config.POOL_MAX_CONCURRENT),
    slots,
    retryPolicy: () => ({ baseMs: retry().backoff, type: retry().type }),
    random: ports.random,
    runProgram: ports.runProgram ?? runsElsewhere,
    openEvents: ports.openEvents ?? withoutEvents,
    timeoutMs: config.POOL_TIMEOUT_MS,
    clock,
    log,
    masker,
  })
  const handleNotice: (notice: Notice) => Promise<void> = createNotices({ gateway, notifications })
  return {
    ...{ tasks, counters, deadLetters, queueStatus, agents, notifications, deliveries, gateway },
    ...{ active, worker, slots, handleNotice },
  }
}
