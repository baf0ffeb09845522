import { SendMessageCommand } from '@aws-sdk/client-sqs'
import { expect, it } from '@jest/globals'
import { openCloud } from '../../lib/app/cloud.ts'
import { readConfig } from '../../lib/config/config.ts'
import { startJobs } from '../../offline/jobs.ts'
import { startStack } from '../../offline/stack.ts'
import { createFakeLog } from '../fakes/log.ts'
import { until } from '../journeys/api.ts'
import { scriptedWorld } from '../journeys/scripted.ts'

it('npm run offline takes in what either queue gave up on', async () => {
  using world = scriptedWorld({ SERVICE_MODE: 'pro', LOG_LEVEL: 'silent', OPENAI_API_KEY: 'unused' })
  Object.assign(process.env, world.env)
  const stack = await startStack(readConfig())
  const jobs = await startJobs(stack, readConfig(), createFakeLog())
  try {
    const { deadLetters, notificationDeadLetters } = stack.queues
    for (const [QueueUrl, MessageBody] of [
      [deadLetters, 'no task'],
      [notificationDeadLetters, 'no announcement'],
    ])
      await stack.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody }))
    const { deadLetters: letters } = await openCloud(readConfig())
    const items = await until(async () => {
      const page = await letters.list({ status: 'all', limit: 10 })
      return page.items.length === 2 ? page.items : undefined
    })
    expect(items.map(({ lastError }) => lastError).sort()).toEqual([
      'not_json: no announcement',
      'not_json: no task',
    ])
  } finally {
    await jobs.stop()
    await stack.stop()
  }
})
