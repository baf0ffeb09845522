import { createAgentSessions } from '../agentic/sessions.ts'
import { createTaskRuns } from '../agentic/task-runs.ts'
import { createAgents } from '../agents/service.ts'
import { createAlerts } from '../alerts/service.ts'
import type { ApprovalService } from '../approvals/service.ts'
import { createBudgets } from '../budgets/service.ts'
import type { Config } from '../config/config.ts'
import { createAttemptLimit } from '../core/attempt-limit.ts'
import { createCostLimit } from '../core/cost-limit.ts'
import { definedFields } from '../core/defined-fields.ts'
import { errorMessage } from '../core/errors.ts'
import { LOCAL_USER } from '../core/principal.ts'
import { createOwnedDeliveries } from '../deliveries/owned.ts'
import { anyEndpoints, createDeliveries } from '../deliveries/service.ts'
import { createGateway, type Gateway } from '../gateway/service.ts'
import { createRelease } from '../holds/release.ts'
import { createHoldVerbs } from '../holds/service.ts'
import type { Memory } from '../memory/service.ts'
import { createNotifications } from '../notifications/service.ts'
import { providerApiUrls } from '../oauth/catalog.ts'
import type { AccountAccess } from '../oauth/schema.ts'
import { createWebhookEndpoints } from '../outbound-webhooks/endpoints.ts'
import { eventNames } from '../outbound-webhooks/events.ts'
import { createWebhookSecrets } from '../outbound-webhooks/registrations.ts'
import { createOutboundWebhooks } from '../outbound-webhooks/service.ts'
import { createSubscriptions, hasSubscriber } from '../outbound-webhooks/subscriptions.ts'
import type { AgentAdapter } from '../ports/agent.ts'
import type { Models } from '../ports/model.ts'
import { createDeadLetters } from '../queue/dead-letters.ts'
import { createQueueStatus } from '../queue/status.ts'
import { createReporting } from '../reporting/service.ts'
import { runnersOff } from '../runners/claims.ts'
import {
  type Asked,
  createWhyNoRunner,
  fitsService,
  type Offers,
  reasonNoneFits,
  toOffer,
} from '../runners/offers.ts'
import { createRegistry } from '../runners/registry.ts'
import { readSpent } from '../tasks/cost-counters.ts'
import { createTaskCounters, under } from '../tasks/counters.ts'
import { createReadCreators } from '../tasks/creators.ts'
import { isFinal } from '../tasks/machine.ts'
import { tasks as taskRows } from '../tasks/rows.ts'
import { createTasks } from '../tasks/service.ts'
import type { CheckOwnConversation } from '../turns/conversations.ts'
import { VERSION } from '../version.ts'
import { createActiveRuns } from '../worker/active.ts'
import { createClaim } from '../worker/claim.ts'
import { createFinish } from '../worker/finish.ts'
import { createGate } from '../worker/gate.ts'
import { createSharedPlaces } from '../worker/shared-places.ts'
import { createWorker } from '../worker/worker.ts'
import type { People } from './people.ts'
import type { Agents, Ports } from './ports.ts'

type Needs = Ports &
  Agents & {
    models: Models
    access: AccountAccess
    approvals: ApprovalService
    memory: Pick<Memory, 'learn'>
    checkOwnConversation: CheckOwnConversation
  }

export type Work = ReturnType<typeof createWork>

type Known = Pick<
  People,
  | 'settings'
  | 'limiter'
  | 'audit'
  | 'tokens'
  | 'accounts'
  | 'readAccountStatus'
  | 'sessions'
  | 'authMode'
  | 'hasAccessKey'
>

/** Tasks from their creation to their end: queues, agents, the worker, the gateway, and who is told of the end. */
export const createWork = (people: Known, needs: Needs, config: Config) => {
  const { store, taskQueue, places, approvals, log } = needs
  const { settings, limiter } = people
  const audit = people.audit.record
  const isShared = needs.processes === 'many'
  const retry = () => settings.current().retry
  const active = createActiveRuns()
  const counters = createTaskCounters(store)
  const attemptLimit = createAttemptLimit({
    installationMs: config.POOL_TIMEOUT_MS,
    functionMs: needs.longestAttemptMs,
  })
  const refuseIfNoRunners = () => {
    if (needs.runnerQueue === undefined) throw runnersOff()
  }
  const runnerRegistry = createRegistry({
    ...needs,
    tokens: people.tokens.ofRunners,
    leaseMs: config.TASK_LEASE_MS,
    refuseIfOff: refuseIfNoRunners,
    version: VERSION,
    audit,
  })
  const agents = createAgents({
    ...needs,
    worker: config.WORKER,
    runners: runnerRegistry.takers,
    registered: runnerRegistry.all,
    stats: counters.agentStatistics,
    attemptLimit,
    maxCostUsd: config.AGENT_MAX_COST_USD,
    defaultType: config.DEFAULT_AGENT,
  })
  const webhookSecrets = createWebhookSecrets(needs)
  const endpoints = createWebhookEndpoints({ ...needs, openSecrets: webhookSecrets.open })
  const subscriptions = createSubscriptions(needs)
  /** The tasks that the service runs itself. */
  const isOwn = async (offers: Offers): Promise<(asked: Asked) => boolean> => {
    const isLeft = await needs.leftToRunners?.()
    if (isLeft !== undefined) return (asked) => !isLeft(asked)
    if (config.WORKER === 'off') return () => false
    // Agents of the service that cannot be loaded are told by its health, and by the run.
    const types = await agents.ownTypes().catch(() => undefined)
    return (asked) => fitsService(asked, new Set(types ?? [asked.agent ?? '']), offers)
  }
  const whyNoRunner = createWhyNoRunner({ runners: runnerRegistry, isOwn })
  const positions = (taskIds: ReadonlySet<string>) => {
    const found = taskQueue.positions?.(({ taskId }) => taskIds.has(taskId))
    return found && new Map([...found].map(([{ taskId }, position]) => [taskId, position]))
  }
  const alerts = createAlerts({
    ...needs,
    limiter,
    publicUrl: config.PUBLIC_URL,
    findAddress: createFindAddress(people),
    mayReceive: createMayReceive(people),
    findTask: (id) => tasks.find(id),
    findPending: approvals.findPending,
    addDelivery: (delivery) => deliveries.add(delivery),
  })
  const tasks = createTasks({
    ...needs,
    readsResults: alerts.readsResults,
    queue: taskQueue,
    whyNoRunner,
    refuseIfNoRunners,
    positions,
    capReached: (task) => places?.capReached(task),
    ...definedFields({ follow: places?.follow }),
    agents: { ...agents, fallback: config.DEFAULT_AGENT },
    makeDeadLetter: (...failure) => deadLetters.deadLetterInsert(...failure),
    resolveDeadLetter: (...retry) => deadLetters.resolving(...retry),
    stopRun: (taskId) => active.stop(taskId, 'cancelled'),
    ended: async ({ id }) => gateway.complete(id),
    // Where processes are many, events that may have subscribers are marked; the stream function reads the subscriptions.
    sendsNotice: isShared
      ? (type) => eventNames(type).length > 0
      : (type) => hasSubscriber(type, subscriptions.events()),
    limiter,
    audit,
    maxAttempts: () => retry().attempts,
    leaseMs: config.TASK_LEASE_MS,
    workspaceTtlMs: config.WORKSPACE_TTL_HOURS * 3_600_000,
  })
  const deadLetters = createDeadLetters({
    ...needs,
    redrive: { ...tasks, ...tasks.redrive, sendAgain: tasks.recovery.sendAgain },
  })
  const { endpoints: reportEndpoints, ...reporting } = createReporting({
    ...needs,
    findTask: tasks.find,
    addDelivery: (delivery) => deliveries.add(delivery),
    isOn: () => settings.current().reporting.comments,
    addresses: providerApiUrls(config.accounts),
    publicUrl: config.PUBLIC_URL,
  })
  const deliveries = createDeliveries({
    ...needs,
    endpoints: anyEndpoints(reportEndpoints, ...alerts.endpoints, endpoints),
    delaysMs: () => settings.current().webhooks.retryDelaysMs,
    defersFailing: isShared,
  })
  const gateway: Gateway = createGateway({
    ...needs,
    tasks,
    limiter,
    callsPerMinute: config.GATEWAY_RATE_LIMIT_RPM,
    addDelivery: deliveries.add,
  })
  const outboundWebhooks = createOutboundWebhooks({
    ...needs,
    secrets: webhookSecrets,
    subscriptions,
    findTask: tasks.find,
    deliveries: { ...deliveries, ...createOwnedDeliveries(needs) },
    audit,
  })
  const queueStatus = createQueueStatus({
    mode: isShared ? 'sqs' : 'memory',
    taskCounts: counters.byStatus,
    deadLetterCounts: deadLetters.countAll,
    workers: { tasks: taskQueue, notifications: needs.notificationQueue },
    worker: config.WORKER,
  })
  // Sessions of tasks have the state of their task.
  const agentSessions = createAgentSessions({
    ...needs,
    timeoutMs: config.AGENTIC_TIMEOUT_MS,
    orphanMs: config.AGENTIC_ORPHAN_MS,
    findTask: tasks.find,
    cancelTask: tasks.cancel,
  })
  const hasEnded = async (taskId: string): Promise<boolean> => {
    const task = await tasks.find(taskId)
    return task === undefined || isFinal(task.status)
  }
  const budgets = createBudgets({
    ...needs,
    settings: () => settings.current().budget,
    spent: (...of) => readSpent(store, ...of),
  })
  const waitingForHolds = async () => under(await counters.waiting(), 'hold')
  /** Other agents choose their models themselves. */
  const runTarget = ({ type, family }: Pick<AgentAdapter, 'type' | 'family'>) =>
    family === 'builtin' ? needs.models.resolve({}) : { provider: type, model: type }
  const gate = createGate({
    holds: needs.holds,
    budgets,
    agent: agents.get,
    read: (taskId) => store.get(taskRows, taskId),
  })
  const sharedPlaces = createSharedPlaces({
    ...needs,
    caps: () => settings.current().concurrency,
    read: (taskId) => store.get(taskRows, taskId),
    wait: tasks.lease.wait,
    proceed: tasks.lease.proceed,
  })
  const claim = createClaim({
    lease: tasks.lease,
    gate,
    places: places === undefined ? sharedPlaces : undefined,
    ...definedFields({ settled: places?.settle }),
  })
  const finish = createFinish({
    ...needs,
    lease: tasks.lease,
    gate,
    refreshReaders: alerts.refreshReaders,
    retryPolicy: () => ({ baseMs: retry().backoff, type: retry().type }),
    withdrawIfOver: async ({ id: taskId, createdBy: userId }) => {
      if (await hasEnded(taskId)) await approvals.withdrawEnded({ taskId, userId })
    },
    learn: async (task, result) => {
      if (!settings.current().memory.recordExperiences) return
      await needs.memory.learn(task, result).catch((thrown) => {
        log.warn({ taskId: task.id, reason: errorMessage(thrown) }, 'an experience was not recorded')
      })
    },
  })
  const worker = createWorker({
    ...needs,
    claim,
    finish,
    lease: tasks.lease,
    agent: agents.get,
    active,
    place: tasks.place,
    mostRuns: config.POOL_MAX_CONCURRENT,
    openEvents: createTaskRuns({ ...needs, sessions: agentSessions, target: runTarget }),
    attemptLimit,
    costLimit: createCostLimit(config.AGENT_MAX_COST_USD),
  })
  return {
    tasks,
    counters,
    deadLetters,
    queueStatus,
    agents,
    notifications: createNotifications(needs),
    alerts,
    deliveries,
    gateway,
    outboundWebhooks,
    subscriptions,
    reporting,
    active,
    agentSessions,
    worker,
    budgets,
    runnerRegistry,
    sharedPlaces,
    /** The begin and the end of attempts, wherever their agents run. */
    attempts: { claim, finish },
    holdVerbs: createHoldVerbs({ holds: needs.holds, waiting: waitingForHolds, audit }),
    /** Lets tasks go on whose wait is over. */
    releaseHeld: createRelease({
      holds: needs.holds,
      budgets,
      clock: needs.clock,
      waiting: counters.waiting,
      runners: async () => {
        const takers = needs.runnerQueue === undefined ? [] : await runnerRegistry.takers()
        const offers = takers.map(toOffer)
        return {
          version: takers.map(({ id, registration }) => `${id} ${registration}`).join(),
          haveOneFor: (task) => reasonNoneFits(offers, task) === undefined,
        }
      },
      status: async (taskId) => (await tasks.summary(taskId))?.status,
      letGo: tasks.recovery.letGo,
    }),
    findReport: reporting.findReport,
    readCreators: createReadCreators({ store, findUser: people.accounts.findUser }),
    withdrawLeftApprovals: () => approvals.withdrawLeft(hasEnded),
  }
}

/**
 * The email address that a user's notifications are sent to. With open registration an unverified address may belong to
 * another person, so only verified ones and those of admins are used. Invited users are trusted.
 */
const createFindAddress =
  ({ accounts, readAccountStatus, settings }: Pick<Known, 'accounts' | 'readAccountStatus' | 'settings'>) =>
  async (userId: string): Promise<string | undefined> => {
    const status = userId === LOCAL_USER ? undefined : await readAccountStatus(userId)
    if (status === undefined || status.disabled) return undefined
    const isTrusted = status.role === 'admin' || settings.current().system.registrationMode !== 'open'
    if (!isTrusted && !(await accounts.hasVerifiedEmail(userId))) return undefined
    return (await accounts.findUser(userId))?.email
  }

/** Whether a subscribed browser may still have messages: its session lives and its user may sign in, or there is no sign-in. */
const createMayReceive =
  ({ sessions, authMode, hasAccessKey }: Pick<Known, 'sessions' | 'authMode' | 'hasAccessKey'>) =>
  async ({ userId, sessionId }: { userId: string; sessionId?: string }): Promise<boolean> =>
    sessionId === undefined
      ? userId === LOCAL_USER && authMode() === 'local' && !hasAccessKey()
      : (await sessions.principalOf(sessionId))?.userId === userId
