import { createAgents } from '../agents/service.ts'
import type { Config } from '../config/config.ts'
import { errorMessage } from '../core/errors.ts'
import { createOwnedDeliveries } from '../deliveries/owned.ts'
import { anyEndpoints, createDeliveries } from '../deliveries/service.ts'
import type { Feed } from '../feed/feed.ts'
import { createGateway, type Gateway } from '../gateway/service.ts'
import { createNotifications } from '../notifications/service.ts'
import { providerApiUrls } from '../oauth/catalog.ts'
import type { AccountAccess } from '../oauth/schema.ts'
import { createWebhookEndpoints } from '../outbound-webhooks/endpoints.ts'
import { hasSubscriber } from '../outbound-webhooks/events.ts'
import { createWebhookSecrets } from '../outbound-webhooks/registrations.ts'
import { createOutboundWebhooks } from '../outbound-webhooks/service.ts'
import { createSubscriptions } from '../outbound-webhooks/subscriptions.ts'
import type { AgentAdapter, RunProgram } from '../ports/agent.ts'
import type { Breakers } from '../ports/breaker.ts'
import type { Cipher } from '../ports/cipher.ts'
import type { Outbound } from '../ports/outbound.ts'
import type { Consumer, Queue } from '../ports/queue.ts'
import type { Repositories } from '../ports/repositories.ts'
import type { Tracker, Trackers } from '../ports/tracker.ts'
import { createDeadLetters } from '../queue/dead-letters.ts'
import type { QueueStatus } from '../queue/schema.ts'
import { createQueueStatus } from '../queue/status.ts'
import { makeReportWrites } from '../reporting/rows.ts'
import { createReporting } from '../reporting/service.ts'
import { createTaskCounters } from '../tasks/counters.ts'
import { isFinal } from '../tasks/machine.ts'
import type { RunTask, Task, TaskResult } from '../tasks/schema.ts'
import { createTasks } from '../tasks/service.ts'
import { createInbound } from '../webhooks/service.ts'
import { createActiveRuns } from '../worker/active.ts'
import type { OpenRunEvents } from '../worker/run.ts'
import { createSemaphore } from '../worker/semaphore.ts'
import { createWorker } from '../worker/worker.ts'
import type { AuthContext, AuthPorts } from './auth.ts'
import { composeApprovals, TASK_ENDED } from './security.ts'
import { mayHaveSubscriber } from './task-creation.ts'

type WorkerState = Pick<Consumer<unknown>, 'running' | 'concurrency'>

export type WorkPorts = AuthPorts & {
  taskQueue: Queue<RunTask> & WorkerState
  notificationQueue: WorkerState
  feed: Feed
  adapters: readonly AgentAdapter[]
  /** Absent where no agents run; so are the events of their runs, and the live events of their progress. */
  runProgram?: RunProgram
  openEvents?: OpenRunEvents
  publishProgress?: (taskId: string) => void
  breakers: Breakers
  outbound: Outbound
  repositories: Pick<Repositories, 'check'>
  cipher: Cipher
  defersFailing?: true
  /** Absent where no notices are handled. */
  commenting?: Commenting
  /** Stores what a finished task taught in memory. Absent where no tasks run. */
  learn?: (task: Task, result: TaskResult) => Promise<void>
  random: () => number
  queueMode: QueueStatus['mode']
}

/** The ports for comments on issues: the providers, and accounts there. */
type Commenting = { trackers: Trackers; access: Pick<AccountAccess, 'writerAt' | 'validToken'> }

const commentsElsewhere = async (): Promise<never> => {
  throw new Error('Comments are written by the functions that handle notices and what is due')
}
const noTracker: Tracker = {
  comment: commentsElsewhere,
  edit: commentsElsewhere,
  find: commentsElsewhere,
  read: commentsElsewhere,
}
const withoutCommenting: Commenting = {
  trackers: { codehost: noTracker, trackera: noTracker, trackerb: noTracker },
  access: { writerAt: commentsElsewhere, validToken: commentsElsewhere },
}

const withoutEvents: OpenRunEvents = () => ({ observe: () => undefined, end: () => undefined })

const runsElsewhere: RunProgram = async () => {
  throw new Error('Agents run in the worker function')
}

export type Work = ReturnType<typeof composeWork>

/** Tasks with their queues, agents, worker and gateway. */
export const composeWork = (auth: AuthContext, ports: WorkPorts, config: Config) => {
  const { taskQueue } = ports
  const { settings, limiter } = auth
  const retry = () => settings.current().retry
  const active = createActiveRuns()
  const counters = createTaskCounters(ports.store)
  const agents = createAgents({ ...ports, stats: counters.agentStatistics })
  const notifications = createNotifications(ports)
  const webhookSecrets = createWebhookSecrets(ports)
  const endpoints = createWebhookEndpoints({ ...ports, openSecrets: webhookSecrets.open })
  const subscriptions = createSubscriptions(ports)
  const approvals = composeApprovals(ports)
  const tasks = createTasks({
    ...ports,
    approvals,
    queue: taskQueue,
    agents: { fallback: config.DEFAULT_AGENT, types: agents.types },
    makeDeadLetter: (...failure) => deadLetters.deadLetterInsert(...failure),
    resolveDeadLetter: (...retry) => deadLetters.resolving(...retry),
    stopRun: (taskId) => active.stop(taskId, 'cancelled'),
    ended: async ({ id }) => gateway.complete(id),
    sendsNotice:
      config.SERVICE_MODE === 'pro'
        ? mayHaveSubscriber
        : (type) => hasSubscriber(type, subscriptions.events()),
    limiter,
    audit: auth.audit.record,
    maxAttempts: () => retry().attempts,
    leaseMs: config.TASK_LEASE_MS,
  })
  const deadLetters = createDeadLetters({
    ...ports,
    redrive: { ...tasks, ...tasks.redrive, sendAgain: tasks.recovery.sendAgain },
  })
  const { endpoints: reportEndpoints, ...reporting } = createReporting({
    ...ports,
    ...(ports.commenting ?? withoutCommenting),
    findTask: tasks.find,
    addDelivery: (delivery) => deliveries.add(delivery),
    isOn: () => settings.current().reporting.comments,
    addresses: providerApiUrls(config.accounts),
    publicUrl: config.PUBLIC_URL,
  })
  const deliveries = createDeliveries({
    ...ports,
    endpoints: anyEndpoints(reportEndpoints, endpoints),
    delaysMs: () => settings.current().webhooks.retryDelaysMs,
  })
  const gateway: Gateway = createGateway({
    ...ports,
    tasks,
    limiter,
    callsPerMinute: config.GATEWAY_RATE_LIMIT_RPM,
    addDelivery: deliveries.add,
  })
  const outboundWebhooks = createOutboundWebhooks({
    ...ports,
    secrets: webhookSecrets,
    subscriptions,
    findTask: tasks.find,
    deliveries: { ...deliveries, ...createOwnedDeliveries(ports) },
    audit: auth.audit.record,
  })
  const queueStatus = createQueueStatus({
    mode: ports.queueMode,
    taskCounts: counters.byStatus,
    deadLetterCounts: deadLetters.countAll,
    workers: { tasks: taskQueue, notifications: ports.notificationQueue },
  })
  const hasEnded = async (taskId: string): Promise<boolean> => {
    const task = await tasks.find(taskId)
    return task === undefined || isFinal(task.status)
  }
  const worker = createWorker({
    ...ports,
    lease: tasks.lease,
    agent: agents.get,
    active,
    slots: createSemaphore(config.POOL_MAX_CONCURRENT),
    retryPolicy: () => ({ baseMs: retry().backoff, type: retry().type }),
    withdrawIfOver: async ({ id: taskId, createdBy: userId }) => {
      if (await hasEnded(taskId)) await approvals.withdrawSession({ taskId, userId }, TASK_ENDED)
    },
    learn: async (task, result) => {
      if (!settings.current().memory.recordExperiences) return
      await ports.learn?.(task, result).catch((thrown) => {
        ports.log.warn({ taskId: task.id, reason: errorMessage(thrown) }, 'an experience was not recorded')
      })
    },
    runProgram: ports.runProgram ?? runsElsewhere,
    openEvents: ports.openEvents ?? withoutEvents,
    timeoutMs: config.POOL_TIMEOUT_MS,
  })
  return {
    tasks,
    counters,
    deadLetters,
    queueStatus,
    agents,
    notifications,
    deliveries,
    gateway,
    outboundWebhooks,
    subscriptions,
    reporting,
    active,
    worker,
    findReport: reporting.findReport,
    withdrawLeftApprovals: () => approvals.withdrawLeft(hasEnded, TASK_ENDED),
  }
}

/** Inbound webhooks, whose events become tasks. */
export const composeWebhooks = (
  { tasks, settings }: Pick<Work, 'tasks'> & Pick<AuthContext, 'settings'>,
  ports: AuthPorts,
  config: Config,
) =>
  createInbound({
    ...ports,
    tasks,
    makeReportWrites,
    cancelsClosed: () => settings.current().webhooks.cancelClosed,
    labels: { task: config.AI_TASK_LABEL, review: config.AI_REVIEW_LABEL },
    secrets: config.inbound,
  })
