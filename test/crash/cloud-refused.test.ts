import { describe, expect, it } from '@jest/globals'
import type { DlqItem } from '../../lib/queue/schema.ts'
import { type Hear, startProxy } from '../adapters/aws/proxy.ts'
import { depthOf } from '../adapters/sqs/emulator.ts'
import { apiOf, ask, until } from '../journeys/api.ts'
import { scriptedTask } from '../journeys/scripted.ts'
import { openCloud } from './cloud.ts'

const RECEIVES = 2
const TITLE = 'is never stored'

/** Storage that takes no task of that title. */
const refuseTask: Hear = ({ headers }, body) =>
  /PutItem$/.test(String(headers['x-amz-target'])) && body.includes(TITLE) ? 'broken' : undefined

describe('a create whose message was sent and whose task was not stored', () => {
  it('is refused, and leaves no task and one dead letter that says so', async () => {
    const ways: Awaited<ReturnType<typeof startProxy>>[] = []
    const reach = async (origin: string) => {
      if (origin !== process.env.DYNAMODB_ENDPOINT) return origin
      const way = await startProxy(origin, refuseTask)
      ways.push(way)
      return way.url
    }
    await using cloud = await openCloud({ OPENAI_API_KEY: 'unused' }, reach)
    await cloud.takeDeadLetters(RECEIVES)
    await cloud.launchWorker().ready
    const create = () => ask(`${cloud.baseUrl}/api/tasks`, 'POST', scriptedTask(TITLE))
    expect(await create()).toMatchObject({ status: 503, body: { code: 'storage_unavailable' } })
    const letters = async () =>
      (await ask<{ items: DlqItem[] }>(`${cloud.baseUrl}/api/dlq?limit=100`)).body.items
    await until(async () => (await letters()).length > 0 || undefined)
    const { tasks: normal, urgent, deadLetters } = cloud.stack.queues
    await until(async () => (await depthOf(cloud.stack.sqs, { normal, urgent })) === 0 || undefined)
    await until(async () => (await depthOf(cloud.stack.sqs, { normal: deadLetters })) === 0 || undefined)
    expect(await letters()).toMatchObject([{ lastError: 'unknown_task', status: 'pending', attempts: 0 }])
    const api = apiOf(cloud.baseUrl)
    expect(await api.page('limit=10')).toMatchObject({ tasks: [], total: 0 })
    expect((await api.queueStatus()).deadLetterQueue).toMatchObject({ pending: 1, total: 1 })
    expect(cloud.journal()).toEqual([])
    for (const way of ways) way.stop()
  }, 90_000)
})
