import { describe, expect, it } from '@jest/globals'
import { type Hear, startProxy } from '../adapters/aws/proxy.ts'
import { totalDepth } from '../adapters/sqs/emulator.ts'
import { ask, taskApi } from '../journeys/api.ts'
import { scriptedTask } from '../journeys/scripted.ts'
import { openCloud } from './cloud.ts'

const TITLE = 'is never stored'

/** Storage that takes no task of that title. */
const refuseTask: Hear = ({ headers }, body) =>
  /PutItem$/.test(String(headers['x-amz-target'])) && body.includes(TITLE) ? 'broken' : undefined

describe('a create whose task was not stored', () => {
  it('is refused, and leaves no task, no message, no dead letter and no count', async () => {
    const ways: Awaited<ReturnType<typeof startProxy>>[] = []
    const reach = async (origin: string) => {
      if (origin !== process.env.DYNAMODB_ENDPOINT) return origin
      const way = await startProxy(origin, refuseTask)
      ways.push(way)
      return way.url
    }
    await using cloud = await openCloud({ OPENAI_API_KEY: 'unused' }, reach)
    const consumer = cloud.launchConsumer()
    const create = () => ask(`${cloud.baseUrl}/api/tasks`, 'POST', scriptedTask(TITLE))
    expect(await create()).toMatchObject({ status: 503, body: { code: 'storage_unavailable' } })
    await consumer.drained()
    const { tasks: normal, urgent } = cloud.stack.queues
    expect(await totalDepth(cloud.stack.sqs, { normal, urgent })).toBe(0)
    const api = taskApi(cloud.baseUrl)
    expect(await api.page('limit=10')).toMatchObject({ tasks: [], total: 0 })
    expect((await api.queueStatus()).deadLetterQueue).toMatchObject({ pending: 0, total: 0 })
    for (const way of ways) way.stop()
  })
})
