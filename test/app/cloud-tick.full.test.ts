import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { handler as tick } from '../../functions/tick.ts'
import { openStorage } from '../../lib/app/cloud-ports.ts'
import { type BulkPart, type BulkRow, bulkJobs, bulkParts } from '../../lib/bulk/rows.ts'
import { readConfig } from '../../lib/config/config.ts'
import { deliveryRows } from '../../lib/deliveries/rows.ts'
import type { DeliveryRow } from '../../lib/deliveries/schema.ts'
import { LONGEST_SEND_MS } from '../../lib/deliveries/send.ts'
import { tasks } from '../../lib/tasks/rows.ts'
import { startProxy } from '../adapters/aws/proxy.ts'
import { startReceiver } from '../adapters/outbound-receiver.ts'
import { startCloud } from '../deploy/cloud.ts'
import { loadFunctions } from '../deploy/functions.ts'

const AT = '2026-01-01T00:00:00.000Z'
const TASK = {
  title: 'Task',
  prompt: 'Work',
  priority: 3 as const,
  source: 'api' as const,
  agent: 'moody',
  labels: [],
  maxAttempts: 3,
  createdAt: AT,
  updatedAt: AT,
  startedAt: AT,
  createdBy: 'usr_1',
}

const NOBODY = 'http://127.0.0.1:9/'

/** What Lambda says of the time that an invocation has left. */
const left = (ms: number) => ({ getRemainingTimeInMillis: () => ms })

let cloud: Awaited<ReturnType<typeof startCloud>>
const stops: (() => unknown)[] = []
beforeAll(async () => {
  cloud = await startCloud()
})
afterAll(async () => {
  for (const stop of stops) stop()
  await cloud?.stop()
})

it('a tick does its other steps when one fails, and fails after them', async () => {
  const { env, stop } = await cloud.openEnvironment()
  const database = await startProxy(env.DYNAMODB_ENDPOINT, (_, body) =>
    String(body).includes('"TableName":"t-tasks"') ? 'broken' : undefined,
  )
  stops.push(database.stop, stop)
  Object.assign(process.env, env, { DYNAMODB_ENDPOINT: database.url, LOG_LEVEL: 'silent' })
  const due = { status: 'pending' as const, dueAt: AT, createdAt: AT, tries: 0, attempts: [] }
  const row: DeliveryRow = {
    ...due,
    id: 'evt_first',
    owner: 'gw_1',
    event: 'task.failed',
    url: NOBODY,
    body: '{}',
  }
  const { store } = openStorage(readConfig())
  await store.commit({ insert: deliveryRows, row })
  await expect(tick({}, left(55_000))).rejects.toThrow(
    'abandoned tasks, tasks without a runner, unclaimed tasks',
  )
  expect((await store.get(deliveryRows, 'evt_first', true))?.attempts).toHaveLength(1)
})

it('a tick that can do nothing for a task goes on, and says so in a line that CloudWatch takes for a metric', async () => {
  const { env, stop } = await cloud.openEnvironment()
  const database = await startProxy(env.DYNAMODB_ENDPOINT, ({ headers }, body) =>
    String(headers['x-amz-target']).endsWith('UpdateItem') && String(body).includes('task_bad')
      ? 'broken'
      : undefined,
  )
  stops.push(database.stop, stop)
  const lost = { ...TASK, status: 'in_progress' as const, attempts: 1, fence: 1, leaseExpiresAt: 1 }
  const { store } = openStorage(readConfig(env))
  for (const id of ['task_bad', 'task_good']) await store.commit({ insert: tasks, row: { ...lost, id } })
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [
      '--input-type=module',
      '--eval',
      "await (await import('./functions/tick.ts')).handler({}, { getRemainingTimeInMillis: () => 55000 })",
    ],
    { env: { PATH: process.env.PATH, ...env, DYNAMODB_ENDPOINT: database.url } },
  )
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines.filter(({ taskId }) => taskId)).toMatchObject([{ level: 'error', taskId: 'task_bad' }])
  expect(lines.filter(({ _aws }) => _aws)).toMatchObject([
    {
      _aws: {
        Timestamp: expect.any(Number),
        CloudWatchMetrics: [
          { Namespace: 't', Dimensions: [[]], Metrics: [{ Name: 'StuckTasks', Unit: 'Count' }] },
        ],
      },
      StuckTasks: 1,
    },
  ])
  expect(await store.get(tasks, 'task_good')).toMatchObject({ status: 'queued' })
})

it('a tick begins no send that it would not see the end of, however many are due', async () => {
  await using receiver = await startReceiver((response) => setTimeout(() => response.end(), 700))
  const { env, stop } = await cloud.openEnvironment()
  stops.push(stop)
  const { store } = openStorage(readConfig(env))
  const due = { status: 'pending' as const, dueAt: AT, createdAt: AT, tries: 0, attempts: [] }
  const sent = { owner: 'gw_1', event: 'task.completed', url: receiver.url, body: '{}' }
  for (let n = 0; n < 50; n += 1)
    await store.commit<DeliveryRow>({ insert: deliveryRows, row: { ...due, ...sent, id: `evt_${n}` } })
  const run = (ms: number) =>
    promisify(execFile)(
      process.execPath,
      [
        '--input-type=module',
        '--eval',
        `await (await import('./functions/tick.ts')).handler({}, { getRemainingTimeInMillis: () => ${ms} })`,
      ],
      { env: { PATH: process.env.PATH, ...env, OUTBOUND_ALLOW_HOSTS: '127.0.0.1', LOG_LEVEL: 'warn' } },
    )
  expect((await run(LONGEST_SEND_MS - 1)).stdout).toContain('"step":"deliveries"')
  expect(receiver.heard).toHaveLength(0)
  await run(LONGEST_SEND_MS + 100)
  expect(receiver.heard).toHaveLength(16)
  await run(LONGEST_SEND_MS + 30_000)
  expect(receiver.heard).toHaveLength(50)
})

it('a bulk job whose message was lost goes on by the one that a tick sends', async () => {
  const functions = loadFunctions(cloud)
  stops.push(functions.stop)
  const { env, stop } = await cloud.openEnvironment()
  stops.push(stop)
  const { store } = openStorage(readConfig(env))
  const expiresAt = Date.now() + 3_600_000
  const row: BulkRow = {
    id: 'bulk_lost',
    target: 'tasks',
    action: 'cancel',
    status: 'running',
    total: 2,
    done: 0,
    failed: 0,
    createdBy: 'usr_1',
    createdAt: AT,
    at: 0,
    role: 'user',
    expiresAt,
  }
  // None of its tasks is left to wait for.
  const following: BulkRow = {
    ...row,
    id: 'bulk_01ARZ3NDEKTSV4RRFFQ69G5FAV',
    action: 'retry',
    status: 'following',
    at: 1,
    total: 1,
    done: 0,
    ended: { completed: 0, failed: 0, cancelled: 0 },
  }
  await store.commit<BulkRow>({ insert: bulkJobs, row: following })
  const part: BulkPart = { jobId: row.id, part: '0', ids: ['task_none', 'task_gone'], expiresAt }
  await store.commit<BulkPart>({ insert: bulkParts, row: part })
  await store.commit<BulkRow>({ insert: bulkJobs, row })
  // The stream function never sees these changes.
  while ((await cloud.takeChanges()).length > 0);
  await functions.feed('notify', 'ai-task-notifications')
  expect(await store.get(bulkJobs, row.id)).toMatchObject({ status: 'running', at: 0 })
  // The tick of this process stands on the storage that another test broke.
  const program =
    "await (await import('./functions/tick.ts')).handler({}, { getRemainingTimeInMillis: () => 55000 })"
  const options = { env: { PATH: process.env.PATH, ...env } }
  await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], options)
  expect(await store.get(bulkJobs, following.id)).toMatchObject({
    status: 'completed',
    endedAt: expect.any(String),
  })
  await functions.feed('notify', 'ai-task-notifications')
  expect(await store.get(bulkJobs, row.id)).toMatchObject({ status: 'completed', failed: 2, resent: 1 })
})
