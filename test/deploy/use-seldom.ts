import { openS3 } from '../../lib/adapters/aws/clients.ts'
import { createS3Blobs } from '../../lib/adapters/aws/s3.ts'
import { encode } from '../../lib/adapters/aws/sqs/message.ts'
import { openWorkPorts, withoutSending } from '../../lib/app/cloud.ts'
import { readConfig } from '../../lib/config.ts'
import { iso } from '../../lib/core/time.ts'
import { pairings } from '../../lib/devices/rows.ts'
import { memoryState } from '../../lib/memory/rows.ts'
import { deadLetters } from '../../lib/queue/rows.ts'
import { tasks } from '../../lib/tasks/rows.ts'
import type { startCloud } from './cloud.ts'
import type { Functions } from './functions.ts'

type Cloud = Awaited<ReturnType<typeof startCloud>>
type Headers = Record<string, string>

/** One route of each function that people with a device come to. */
const FRONTS = [
  ['tasks', 'GET /api/tasks'],
  ['queue', 'GET /api/queue/status'],
  ['agents', 'GET /api/agents'],
  ['notifications', 'GET /api/notifications'],
  ['auth', 'GET /api/auth/me'],
  ['devices', 'GET /api/devices/paired'],
  ['settings', 'GET /api/settings'],
  ['gateway', 'GET /api/tokens'],
  ['webhooks', 'GET /api/integrations/webhooks/status'],
  ['memory', 'GET /api/memory/stats'],
  ['health', 'GET /api/health/detailed'],
  ['openapi', 'GET /api/openapi.json'],
] as const

/** Larger than what of an error lies in its row. */
const earlier = { code: 'agent_failed', message: 'word '.repeat(200) }

/** The far side of storage, by ways of its own: nothing of what is done here counts as done by a function. */
export const besides = async (cloud: Cloud) => {
  const { env, stop } = await cloud.environmentOf()
  const { store, clock } = openWorkPorts(readConfig(env), withoutSending)
  const s3 = openS3({ region: env.AWS_REGION, endpoint: env.S3_ENDPOINT })
  return { store, clock, files: createS3Blobs({ client: s3, bucket: env.FILES_BUCKET }), stop }
}
type Besides = Awaited<ReturnType<typeof besides>>

/** As after an hour: whoever a device asks next notes that it was seen. */
export const forgetSeen = async ({ store }: Pick<Besides, 'store'>): Promise<void> => {
  const approved = { index: 'byStatus', is: 'approved', order: 'asc', limit: 100 } as const
  for (const { id } of (await store.page(pairings, approved)).rows)
    await store.commit({ update: pairings, key: id, unset: ['lastSeenAt'] })
}

/** What comes up after an hour, after a failure that took many words, and after a death at the wrong moment. */
export const useSeldom = async (functions: Functions, cloud: Cloud, known: Headers): Promise<void> => {
  const beside = await besides(cloud)
  for (const [name, route] of FRONTS) {
    await forgetSeen(beside)
    await functions.http(name, route, undefined, known)
  }
  await useLongErrors(functions, beside, known)
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
  const messageOf = (taskId: string) => encode({ body: { taskId, attempt: 1 }, priority: 3 })
  await feed('worker', 'ai-tasks', messageOf(await create()))
  const taskId = await create()
  await feed('dlq', 'ai-tasks-dlq', messageOf(taskId))
  await failedAtLength(taskId)
  const { items } = await http('queue', 'GET /api/dlq', undefined, known)
  const letter = (items as { id: string; taskId: string }[]).find((item) => item.taskId === taskId)
  // Whoever retried it died before the task was moved.
  const set = { status: 'resolved', resolvedAt: iso(clock.now()) } as const
  await store.commit({ update: deadLetters, key: letter?.id ?? '', set })
  await http('queue', `POST /api/dlq/${letter?.id}/retry`, undefined, known)
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
