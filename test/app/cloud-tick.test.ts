import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { handler as tick } from '../../functions/tick.ts'
import { openBasePorts } from '../../lib/app/cloud-base.ts'
import { readConfig } from '../../lib/config.ts'
import { announcements } from '../../lib/notifications/rows.ts'
import { startProxy } from '../adapters/aws/proxy.ts'
import { startCloud } from '../deploy/cloud.ts'

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
  const { env, stop } = await cloud.environmentOf()
  const database = await startProxy(env.DYNAMODB_ENDPOINT, (_, body) =>
    String(body).includes('"TableName":"t-tasks"') ? 'broken' : undefined,
  )
  stops.push(database.stop, stop)
  Object.assign(process.env, env, { DYNAMODB_ENDPOINT: database.url, LOG_LEVEL: 'silent' })
  const row = {
    ...{ id: 'ntf_1', type: 'task_failed' as const, title: 'Task failed', message: 'After one attempt' },
    ...{ taskId: 'task_1', createdAt: '2026-01-01T00:00:00.000Z' },
  }
  await openBasePorts(readConfig()).store.commit({ insert: announcements, row })
  await expect(tick()).rejects.toThrow('abandoned tasks')
  expect((await cloud.take('ai-task-notifications')).map(({ Body }) => Body)).toEqual([
    expect.stringContaining('ntf_1'),
  ])
}, 60_000)
