import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals'
import { encode } from '../../lib/adapters/aws/sqs/message.ts'
import { openCloudPorts } from '../../lib/app/cloud-ports.ts'
import { createWorkerFunction } from '../../lib/app/cloud-worker.ts'
import { readConfig } from '../../lib/config/config.ts'
import { tasks } from '../../lib/tasks/rows.ts'
import type { TaskRow } from '../../lib/tasks/schema.ts'
import { sqsRecord } from '../../offline/sqs-event.ts'
import { startProxy } from '../adapters/aws/proxy.ts'
import { startCloud } from './cloud.ts'
import { loadFunctions } from './functions.ts'
import { startProgram } from './program.ts'

const context = { getRemainingTimeInMillis: () => 60_000 }

let cloud: Awaited<ReturnType<typeof startCloud>>
let functions: ReturnType<typeof loadFunctions>
beforeAll(async () => {
  // Configured, so that no worker starts a demo model; nobody asks it anything.
  Object.assign(process.env, { OLLAMA_MODEL: 'none' })
  cloud = await startCloud()
  functions = loadFunctions(cloud)
})
afterAll(async () => {
  functions?.stop()
  await cloud?.stop()
})

const stops: (() => unknown)[] = []
afterEach(() => {
  for (const stop of stops.splice(0)) stop()
})

/** Waits for as many messages, and answers how often each was received. */
const receives = async (queue: string, count: number): Promise<string[]> => {
  const counts: (string | undefined)[] = []
  while (counts.length < count) {
    counts.push(...(await cloud.take(queue)).map(({ Attributes }) => Attributes?.ApproximateReceiveCount))
    await sleep(100)
  }
  return counts.map(String)
}

describe('a message that a function could do nothing with, storage being down', () => {
  it.each([
    ['worker', 'ai-tasks'],
    ['notify', 'ai-task-notifications'],
    ['dlq', 'ai-tasks-dlq'],
    ['dlq', 'ai-task-notifications-dlq'],
  ])('comes again to %s from %s within seconds', async (name, queue) => {
    for (const text of ['a', 'b']) await cloud.put(queue, text)
    expect(await functions.feedInVain(name, queue)).toBe(2)
    // The queue would hide it for minutes.
    expect(await receives(queue, 2)).toEqual(['2', '2'])
  })
})

describe('a worker that cannot be opened', () => {
  it('fails the invocation, brings its messages back soon, later each time, and is opened by the next', async () => {
    const { env, stop } = await cloud.openEnvironment()
    const asked: unknown[] = []
    const sqs = await startProxy(env.SQS_ENDPOINT, (_, body) => void asked.push(JSON.parse(String(body))))
    stops.push(sqs.stop, stop)
    const settings = { ...env, SQS_ENDPOINT: sqs.url }
    Object.assign(process.env, settings, { AGENT_ADAPTERS: 'test/fixtures/agents/none-there.ts' })
    const worker = createWorkerFunction()
    await cloud.put('ai-tasks', 'nonsense')
    const [message = {}] = await cloud.take('ai-tasks')
    const record = sqsRecord(message, 'arn:aws:sqs:us-east-1:000000000000:ai-tasks')
    const received = (times: number) => ({ ...record, attributes: { ApproximateReceiveCount: `${times}` } })
    for (const times of [1, 2, 9])
      await expect(worker({ Records: [received(times)] }, context)).rejects.toThrow('none-there')
    expect(asked).toMatchObject([15, 30, 300].map((VisibilityTimeout) => ({ VisibilityTimeout })))
    process.env.AGENT_ADAPTERS = ''
    expect(await worker({ Records: [received(10)] }, context)).toEqual({ batchItemFailures: [] })
  })

  it('for a setting that cannot be read, is named in its log and brings them back as well', async () => {
    const { env, stop } = await cloud.openEnvironment()
    const asked: unknown[] = []
    const sqs = await startProxy(env.SQS_ENDPOINT, (_, body) => void asked.push(JSON.parse(String(body))))
    const settings = { ...env, SQS_ENDPOINT: sqs.url, LOG_LEVEL: 'warn', QUEUE_RETRY_TYPE: 'foo' }
    const program = await startProgram(['functions/agentic/events.ts', 'functions/worker.ts'], settings)
    stops.push(sqs.stop, stop, program.stop)
    await cloud.put('ai-tasks', 'nonsense')
    const [message = {}] = await cloud.take('ai-tasks')
    const record = sqsRecord(message, 'arn:aws:sqs:us-east-1:000000000000:ai-tasks')
    const invocation = { request_id: 'r-1', deadline: Date.now() + 60_000 }
    const answer = await fetch(`${program.url}/events`, {
      method: 'POST',
      headers: { 'x-amzn-lambda-context': JSON.stringify(invocation) },
      body: JSON.stringify({ Records: [record] }),
    })
    expect(answer.status).toBe(500)
    expect(asked).toMatchObject([{ ReceiptHandle: record.receiptHandle, VisibilityTimeout: 15 }])
    const reason = 'QUEUE_RETRY_TYPE: must be one of exponential, fixed'
    expect(program.logged()).toEqual([
      { level: 'error', time: expect.any(String), msg: 'the function failed', reason },
    ])
  })
})

describe('the log of a worker', () => {
  it('ties the request of a task to the message and the invocation that it runs in', async () => {
    const { env, stop } = await cloud.openEnvironment()
    const settings = { ...env, LOG_LEVEL: 'info' }
    const program = await startProgram(['functions/agentic/events.ts', 'functions/worker.ts'], settings)
    stops.push(stop, program.stop)
    const { store } = openCloudPorts(readConfig(env))
    const trace = { requestId: 'req_1' }
    const row: TaskRow = {
      id: 'task_logged',
      title: 'Task',
      prompt: 'Work',
      priority: 3,
      source: 'api',
      agent: 'nobody',
      labels: [],
      status: 'queued',
      attempts: 0,
      maxAttempts: 1,
      fence: 0,
      createdBy: 'usr_1',
      trace,
      createdAt: new Date().toISOString(),
      updatedAt: new Date().toISOString(),
    }
    await store.commit<TaskRow>({ insert: tasks, row })
    const message = {
      MessageId: 'message-1',
      Body: encode({ body: { taskId: row.id, attempt: 1 }, priority: 3 }),
    }
    const record = sqsRecord(message, 'arn:aws:sqs:us-east-1:000000000000:ai-tasks')
    const invocation = { request_id: 'invocation-1', deadline: Date.now() + 60_000 }
    const answer = await fetch(`${program.url}/events`, {
      method: 'POST',
      headers: { 'x-amzn-lambda-context': JSON.stringify(invocation) },
      body: JSON.stringify({ Records: [record] }),
    })
    expect(await answer.json()).toEqual({ batchItemFailures: [] })
    const ids = { requestId: 'req_1', messageId: 'message-1', awsRequestId: 'invocation-1', taskId: row.id }
    expect(program.logged().filter((line) => (line as { taskId?: string }).taskId === row.id)).toEqual(
      ['in_progress', undefined, 'failed'].map((to) =>
        expect.objectContaining(
          to === undefined ? { ...ids, msg: 'attempt failed' } : { ...ids, to, msg: 'task' },
        ),
      ),
    )
  })
})
