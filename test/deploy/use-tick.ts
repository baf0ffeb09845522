import { encode } from '../../lib/adapters/aws/sqs/message.ts'
import { type AgentSessionRow, agentSessions } from '../../lib/agentic/rows.ts'
import { type BulkPart, type BulkRow, bulkJobs, bulkParts } from '../../lib/bulk/rows.ts'
import { iso } from '../../lib/core/time.ts'
import { deliveryRows } from '../../lib/deliveries/rows.ts'
import type { DeliveryRow } from '../../lib/deliveries/schema.ts'
import { HOLDS_ID, holdsRows } from '../../lib/holds/rows.ts'
import { isWebhookId, type WebhookHealth, webhookHealth } from '../../lib/outbound-webhooks/rows.ts'
import type { Store } from '../../lib/ports/store.ts'
import { type RunnerRow, runners } from '../../lib/runners/rows.ts'
import { type ScheduleRow, schedules } from '../../lib/schedules/rows.ts'
import { tasks } from '../../lib/tasks/rows.ts'
import type { TaskRow } from '../../lib/tasks/schema.ts'
import { startReceiver } from '../adapters/outbound-receiver.ts'
import type { startCloud } from './cloud.ts'
import type { Functions } from './functions.ts'
import { besides, hold, lengthenLog } from './use-seldom.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const LONG = 'word '.repeat(10_000)
/** As long as is kept of an answer, and six times that in JSON. */
const REFUSAL = '\u0001'.repeat(4_096)

type Cloud = Awaited<ReturnType<typeof startCloud>>

/** Of each delivery of a webhook that waits: it is due, and where it goes nobody listens any more. */
const leaveOneTry = async (store: Store, dueAt: string): Promise<void> => {
  const waiting = (await store.page(deliveryRows, { index: 'due', order: 'asc', limit: 200 })).rows
  for (const { id: key, owner } of waiting)
    if (isWebhookId(owner))
      await store.commit<DeliveryRow>({ update: deliveryRows, key, set: { tries: 5, dueAt } })
}

/** Deleted webhooks, of which nothing comes late any more. */
const ageDeleted = async (store: Store, deletedAt: string): Promise<void> => {
  const { rows } = await store.page(webhookHealth, { index: 'deleted', order: 'asc', limit: 9 })
  for (const { id: key } of rows)
    await store.commit<WebhookHealth>({ update: webhookHealth, key, set: { deletedAt } })
}

const silentRunner = (at: string): RunnerRow => ({
  ...{ id: 'rnr_silent', name: 'silent', tokenId: 'tok_silent', userId: 'user_left', version: '1' },
  ...{ labels: [], agents: [], concurrency: 1, isolation: 'none', running: [], registration: 1 },
  ...{ registeredAt: at, lastSeenAt: at },
})

const expectNoSilentRunner = async (store: Store): Promise<void> => {
  if ((await store.get(runners, 'rnr_silent')) !== undefined)
    throw new Error('The tick left a runner that was not heard of for a day')
}

const expectNoHold = async (store: Store): Promise<void> => {
  if ((await store.get(holdsRows, HOLDS_ID))?.holds.length !== 0)
    throw new Error('The tick left a hold that was over')
}

/**
 * What the tick is there for: tasks that are due, tasks whose worker died, in their last attempt or in one before, and
 * tasks whose message was lost, in each lane, and a bulk job of which it was lost; deliveries that are due again; a session whose process died.
 */
export const useTick = async (functions: Functions, cloud: Cloud, token: string) => {
  const submit = async (more: object, notifyUrl = 'http://127.0.0.1:9/'): Promise<string> => {
    const task = { title: 'Task', prompt: LONG, assignedAgent: 'moody', ...more }
    const body = { task, options: { notifyUrl, notifySecret: 'secret' } }
    const { taskId } = await functions.http('gateway', 'POST /api/gateway', body, {
      authorization: `Bearer ${token}`,
    })
    return String(taskId)
  }
  // Its end is told in vain, with a long result and by everybody, and what it was answered is long as well.
  await using receiver = await startReceiver((response) => response.writeHead(500).end(REFUSAL))
  const taskId = await submit({ metadata: { words: 10_000 } }, receiver.url)
  // What waits longer may be more than a function is fed at once.
  await functions.feed('worker', 'ai-tasks', encode({ body: { taskId, attempt: 1 }, priority: 3 }))
  const notice = encode({ body: { kind: 'ended', taskId }, priority: 3 })
  for (let n = 0; n < 3; n++) await functions.feed('notify', 'ai-task-notifications', notice)
  await functions.feed('dlq', 'ai-task-notifications-dlq', notice)
  const { store, clock, stop } = await besides(cloud)
  const pending = { status: 'pending', updatedAt: iso(clock.now() - MINUTE_MS) } as const
  const error = { code: 'agent_failed', message: 'word '.repeat(200) }
  const leaseExpiresAt = clock.now() - MINUTE_MS
  const abandoned = { status: 'in_progress', fence: 1, leaseExpiresAt, error } as const
  const hourAgo = iso(clock.now() - HOUR_MS)
  const unclaimed = { createdAt: hourAgo, updatedAt: hourAgo }
  const lost = [1, 9].map((attempts) => ({ ...abandoned, attempts }))
  const left: Partial<TaskRow>[] = [pending, unclaimed, ...lost]
  for (const priority of [1, 3])
    for (const set of left)
      await store.commit<TaskRow>({ update: tasks, key: await submit({ priority }), set })
  await lengthenLog({ store, clock }, await submit({}), { ...abandoned, attempts: 1 })
  const session: AgentSessionRow = {
    id: 'sess_left',
    status: 'running',
    conversationId: 'conv_left',
    userId: 'user_left',
    provider: 'ollama',
    model: 'model-7',
    createdAt: hourAgo,
    expiresAt: clock.now() + HOUR_MS,
  }
  await store.commit<AgentSessionRow>({ insert: agentSessions, row: session })
  const still: BulkRow = {
    id: 'bulk_still',
    target: 'tasks',
    action: 'cancel',
    status: 'running',
    total: 1,
    done: 0,
    failed: 0,
    createdBy: 'user_left',
    createdAt: hourAgo,
    at: 0,
    role: 'user',
    expiresAt: clock.now() + HOUR_MS,
  }
  const items: BulkPart = { jobId: still.id, part: '0', ids: ['task_none'], expiresAt: still.expiresAt }
  await store.commit<BulkPart>({ insert: bulkParts, row: items })
  await store.commit<BulkRow>({ insert: bulkJobs, row: still })
  // One makes its task; the agent of the other is registered no more.
  const [due, refused] = (await store.page(schedules, { index: 'due', order: 'asc', limit: 2 })).rows
  if (due === undefined || refused === undefined) throw new Error('There are no schedules')
  const gone = { ...refused.task, assignedAgent: 'gone' }
  for (const { id: key, task } of [due, { ...refused, task: gone }])
    await store.commit<ScheduleRow>({ update: schedules, key, set: { nextRunAt: hourAgo, task } })
  await leaveOneTry(store, hourAgo)
  await ageDeleted(store, hourAgo)
  await hold(store, hourAgo)
  await store.commit<RunnerRow>({ insert: runners, row: silentRunner(iso(clock.now() - 25 * HOUR_MS)) })
  await functions.invoke('tick', {})
  await expectNoHold(store)
  await expectNoSilentRunner(store)
  if ((await store.get(schedules, due.id))?.lastTaskId === undefined)
    throw new Error('The tick left a schedule that was due')
  if ((await store.get(schedules, refused.id))?.lastError?.code !== 'agent_unknown')
    throw new Error('The tick did not tell why a schedule made no task')
  if ((await store.page(webhookHealth, { index: 'deleted', order: 'asc', limit: 1 })).rows.length > 0)
    throw new Error('The tick left a webhook that was deleted')
  if ((await store.get(bulkJobs, still.id))?.resent !== 1)
    throw new Error('The tick left a bulk job whose message was lost')
  if ((await store.get(agentSessions, session.id))?.status !== 'failed')
    throw new Error('The tick left a session of a dead process running')
  for (const status of ['pending', 'in_progress'] as const)
    if ((await store.count(tasks, { index: 'byStatus', is: status })) > 0)
      throw new Error(`The tick left what was ${status}`)
  stop()
}
