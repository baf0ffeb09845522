import { mkdirSync, readdirSync } from 'node:fs'
import * as path from 'node:path'
import { expect, it } from '@jest/globals'
import { encode } from '../../lib/adapters/aws/sqs/message.ts'
import { openWorker } from '../../lib/app/cloud-worker.ts'
import { readConfig } from '../../lib/config/config.ts'
import { openCloud } from '../crash/cloud.ts'
import { taskApi, until } from '../journeys/api.ts'
import { scriptedTask } from '../journeys/scripted.ts'
import { temporaryFolder } from '../journeys/service.ts'

const context = { getRemainingTimeInMillis: () => 60_000 }
const sqsEvent = (taskId: string) => ({
  Records: [
    {
      messageId: `message of ${taskId}`,
      receiptHandle: 'receipt',
      body: encode({ body: { taskId, attempt: 1 }, priority: 3 }),
      attributes: { ApproximateReceiveCount: '1' },
      messageAttributes: {},
      eventSourceARN: 'arn:aws:sqs:us-east-1:000000000000:ai-tasks',
    },
  ],
})

it('the worker function leaves no workspace behind, and those of running tasks alone', async () => {
  using folder = temporaryFolder()
  const dir = folder.in('workspaces')
  const settings = { WORKSPACES_DIR: dir, WORKSPACE_TTL_HOURS: '0', OPENAI_API_KEY: 'unused' }
  await using cloud = await openCloud(settings)
  const api = taskApi(cloud.baseUrl)
  const worker = await openWorker(readConfig())
  const [long, short] = await Promise.all([
    api.create(scriptedTask('long', { runMs: 600_000 })),
    api.create(scriptedTask('short')),
  ])
  for (const { id } of [long, short]) mkdirSync(path.join(dir, `${id}-1`), { recursive: true })
  const running = worker(sqsEvent(long.id), context)
  await until(() => cloud.journal().some(({ taskId }) => taskId === long.id) || undefined)
  await worker(sqsEvent(short.id), context)
  expect(readdirSync(dir)).toEqual([`${long.id}-1`])
  worker.stop('shutdown')
  await running
  expect(readdirSync(dir)).toEqual([])
})
