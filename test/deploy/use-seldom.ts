import { openS3 } from '../../lib/adapters/aws/clients.ts'
import { createS3Blobs } from '../../lib/adapters/aws/s3.ts'
import { encode } from '../../lib/adapters/aws/sqs/message.ts'
import { createIds } from '../../lib/adapters/node/ids.ts'
import { openCloudPorts } from '../../lib/app/cloud-ports.ts'
import { sessions } from '../../lib/auth/rows.ts'
import { readConfig } from '../../lib/config/config.ts'
import { iso } from '../../lib/core/time.ts'
import { pairings } from '../../lib/devices/rows.ts'
import { HOLDS_ID, type HoldsRow, holdsRows } from '../../lib/holds/rows.ts'
import { memoryState } from '../../lib/memory/rows.ts'
import type { Store } from '../../lib/ports/store.ts'
import { tasks } from '../../lib/tasks/rows.ts'
import type { TaskRow } from '../../lib/tasks/schema.ts'
import type { startCloud } from './cloud.ts'
import type { Functions } from './functions.ts'
import { feedUntilDone } from './use-bulk.ts'
import { close, deliver } from './use-webhooks.ts'

type Cloud = Awaited<ReturnType<typeof startCloud>>
type Headers = Record<string, string>

/** One route of each function that people with a device come to. */
const FRONTS: readonly (readonly [name: string, route: string, body?: object])[] = [
  ['tasks', 'GET /api/tasks'],
  ['queue', 'GET /api/queue/status'],
  ['bulk', 'POST /api/tasks/bulk', { action: 'cancel', ids: ['none'], dryRun: true }],
  ['agents', 'GET /api/agents'],
  ['notifications', 'GET /api/notifications'],
  ['auth', 'GET /api/auth/me'],
  ['devices', 'GET /api/devices/paired'],
  ['settings', 'GET /api/settings'],
  ['gateway', 'GET /api/tokens'],
  ['runners', 'GET /api/runners'],
  ['webhooks', 'GET /api/integrations/webhooks/status'],
  ['integrations', 'GET /api/integrations/web-search'],
  ['chat', 'GET /api/chat/conversations'],
  ['outbound', 'GET /api/webhooks'],
  ['schedules', 'GET /api/schedules'],
  ['memory', 'GET /api/memory/stats'],
  ['security', 'GET /api/security/policy'],
  ['health', 'GET /api/health/detailed'],
  ['openapi', 'GET /api/openapi.json'],
]

/** What a row holds of its log. */
const MOST_ENTRIES = 40
/** Larger than what of an error lies in its row. */
const earlier = { code: 'agent_failed', message: 'word '.repeat(200) }

/** The far side of storage, by ways of its own: nothing of what is done here counts as done by a function. */
export const besides = async (cloud: Cloud) => {
  const { env, stop } = await cloud.openEnvironment()
  const { store, clock } = openCloudPorts(readConfig(env))
  const s3 = openS3({ region: env.AWS_REGION, endpoint: env.S3_ENDPOINT })
  return { store, clock, files: createS3Blobs({ client: s3, bucket: env.FILES_BUCKET }), stop }
}
type Besides = Awaited<ReturnType<typeof besides>>

/** As after an hour: whoever a device asks next notes that it was seen, and its session. */
export const forgetSeen = async ({ store }: Pick<Besides, 'store'>): Promise<void> => {
  const approved = { index: 'byStatus', is: 'approved', order: 'asc', limit: 100 } as const
  for (const { id, sessionId } of (await store.page(pairings, approved)).rows) {
    await store.commit({ update: pairings, key: id, unset: ['lastSeenAt'] })
    if (sessionId) await store.commit({ update: sessions, key: sessionId, unset: ['lastSeenAt'] })
  }
}

/** A provider that is held, although nothing waits for it. */
export const hold = async (store: Store, until: string): Promise<void> => {
  const version = ((await store.get(holdsRows, HOLDS_ID))?.version ?? 0) + 1
  const held = { id: 'hold_left', provider: 'openai', reason: 'used up', until }
  await store.commit<HoldsRow>({ remove: holdsRows, key: HOLDS_ID })
  await store.commit<HoldsRow>({ insert: holdsRows, row: { id: HOLDS_ID, version, holds: [held] } })
}

/** What comes up after an hour, after a failure that took many words, and after a death at the wrong moment. */
export const useSeldom = async (functions: Functions, cloud: Cloud, known: Headers): Promise<void> => {
  const beside = await besides(cloud)
  for (const [name, route, body] of FRONTS) {
    await forgetSeen(beside)
    await functions.http(name, route, body, known)
  }
  await useLongErrors(functions, beside, known)
  await useWaiting(functions, known)
  await hold(beside.store, iso(beside.clock.now()))
  await functions.http('queue', 'DELETE /api/holds/hold_left', undefined, known)
  await useLongLogs(functions, beside, known)
  await useLostFiles(functions, beside, known)
  beside.stop()
}

/** Tasks that failed before, at length: run at last, lost by their queue, and tried again by somebody. */
const useLongErrors = async ({ http, feed }: Functions, { store, clock }: Besides, known: Headers) => {
  const failedAtLength = async (key: string) => {
    await store.commit({ update: tasks, key, set: { error: earlier } })
    return key
  }
  const create = async () => {
    const given = { title: 'Task', prompt: 'Work', assignedAgent: 'moody' }
    const { task } = await http('tasks', 'POST /api/tasks', given, known)
    return failedAtLength((task as { id: string }).id)
  }
  const encodedMessage = (taskId: string) => encode({ body: { taskId, attempt: 1 }, priority: 3 })
  await feed('worker', 'ai-tasks', encodedMessage(await create()))
  const letterOfLost = async () => {
    const taskId = await create()
    await feed('dlq', 'ai-tasks-dlq', encodedMessage(taskId))
    await failedAtLength(taskId)
    // Its failure is not the last entry of its log, so that a retry reads on in it.
    const log = [{ id: createIds({ clock }).next('evt'), type: 'retried' }]
    await store.commit<TaskRow>({ update: tasks, key: taskId, set: { updatedAt: iso(clock.now()) }, log })
    const { items } = await http('queue', 'GET /api/dlq', undefined, known)
    return (items as { id: string; taskId: string }[]).find((item) => item.taskId === taskId)?.id
  }
  await http('queue', `POST /api/dlq/${await letterOfLost()}/retry`, undefined, known)
  const bulk = { action: 'retry', ids: [await letterOfLost()] }
  const { job } = await http('bulk', 'POST /api/dlq/bulk', bulk, known)
  await feedUntilDone({ http, feed }, 'notify', (job as { id: string }).id, known)
  await feed('worker', 'ai-tasks')
}

/** Has a task changed so often that its log does not fit its row with the next change. */
export const lengthenLog = async (
  { store, clock }: Pick<Besides, 'store' | 'clock'>,
  key: string,
  set: Partial<TaskRow> = {},
): Promise<void> => {
  const ids = createIds({ clock })
  const log = Array.from({ length: MOST_ENTRIES - 2 }, () => ({ id: ids.next('evt'), type: 'queued' }))
  await store.commit<TaskRow>({ update: tasks, key, set: { ...set, updatedAt: iso(clock.now()) }, log })
}

/** Tasks with the longest log that fits: run, given up by their queue, and cancelled, by somebody or with their issue. */
const useLongLogs = async ({ http, feed }: Functions, beside: Besides, known: Headers) => {
  const create = async () => {
    const given = { title: 'Task', prompt: 'Work', assignedAgent: 'moody' }
    const { task } = await http('tasks', 'POST /api/tasks', given, known)
    const { id } = task as { id: string }
    await lengthenLog(beside, id)
    return id
  }
  const encodedMessage = (taskId: string) => encode({ body: { taskId, attempt: 1 }, priority: 3 })
  await feed('dlq', 'ai-tasks-dlq', encodedMessage(await create()))
  await http('tasks', `POST /api/tasks/${await create()}/cancel`, {}, known)
  const bulk = { action: 'cancel', ids: [await create()] }
  const { job } = await http('bulk', 'POST /api/tasks/bulk', bulk, known)
  await feedUntilDone({ http, feed }, 'notify', (job as { id: string }).id, known)
  const issue = (await deliver({ http }, { number: 91 })) as { task: { id: string } }
  await lengthenLog(beside, issue.task.id)
  await close({ http }, 91)
  await feed('worker', 'ai-tasks', encodedMessage(await create()))
}

/** Messages that could not be read, each of a task that waits: whoever retries their letters sends them again. */
const useWaiting = async ({ http, feed }: Functions, known: Headers) => {
  for (const priority of [1, 3]) {
    const given = { title: 'Task', prompt: 'Work', assignedAgent: 'moody', priority }
    const { task } = await http('tasks', 'POST /api/tasks', given, known)
    const taskId = (task as { id: string }).id
    await feed('dlq', 'ai-tasks-dlq', JSON.stringify({ v: 0, body: { taskId } }))
    const { items } = await http('queue', 'GET /api/dlq', undefined, known)
    const letter = (items as { id: string; taskId: string }[]).find((item) => item.taskId === taskId)
    await http('queue', `POST /api/dlq/${letter?.id}/retry`, undefined, known)
  }
}

/** Memory files that are gone; of those that the tick takes in first, nothing has been taken in before. */
const useLostFiles = async (
  { http, invoke, putFile }: Functions,
  { store, files }: Besides,
  known: Headers,
) => {
  await files.remove('memory/d.md')
  await http('memory', 'POST /api/memory/sync', undefined, known)
  await files.remove('memory/long.md')
  await putFile('new.md', '# New')
  await store.commit({ remove: memoryState, key: 'memory' })
  await invoke('tick', {})
}
