import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { handler as dlq } from '../../functions/dlq.ts'
import { encode } from '../../lib/adapters/aws/sqs/message.ts'
import type { SqsEvent } from '../../lib/adapters/aws/sqs/sqs-batch.ts'
import { openStorage } from '../../lib/app/cloud-ports.ts'
import { openWorker } from '../../lib/app/cloud-worker.ts'
import { readConfig } from '../../lib/config/config.ts'
import { notifications } from '../../lib/notifications/rows.ts'
import type { DlqItem } from '../../lib/queue/schema.ts'
import { tasks } from '../../lib/tasks/rows.ts'
import type { RunTask } from '../../lib/tasks/schema.ts'
import { type Api, ask, taskApi } from '../journeys/api.ts'
import { scriptedTask } from '../journeys/scripted.ts'
import { type Cloud, openCloud } from './cloud.ts'
import { count, replay } from './event-log.ts'

const SAME = 50
const LATER = 20
/** What an invocation has left that must stop its runs in half a second. */
const NEAR_END_MS = 15_500
const WORKERS = 5
const context = { getRemainingTimeInMillis: () => 60_000 }

let cloud: Cloud
let api: Api
let workers: Awaited<ReturnType<typeof openWorker>>[]
beforeAll(async () => {
  // A provider that nobody calls, lest every worker starts a demo model of its own.
  cloud = await openCloud({ OPENAI_API_KEY: 'unused' })
  api = taskApi(cloud.baseUrl)
  workers = await Promise.all(Array.from({ length: WORKERS }, () => openWorker(readConfig())))
})
afterAll(() => cloud[Symbol.asyncDispose]())

const encodedMessage = (body: RunTask) => encode({ body, priority: 3 })

let events = 0
/** An event as SQS would deliver it, of new messages with these texts. */
const sqsEvent = (...texts: string[]): SqsEvent => {
  events += 1
  return {
    Records: texts.map((body, n) => ({
      messageId: `event-${events}-message-${n}`,
      receiptHandle: `receipt-${n}`,
      body,
      attributes: { ApproximateReceiveCount: '1' },
      messageAttributes: {},
      eventSourceARN: 'arn:aws:sqs:us-east-1:000000000000:ai-tasks',
    })),
  }
}
const failed = (...ns: number[]) => ({
  batchItemFailures: ns.map((n) => ({ itemIdentifier: expect.stringMatching(`-message-${n}$`) })),
})

const work = async (...texts: string[]) => workers[0]?.(sqsEvent(...texts), context)
const created = (title: string) => api.create(scriptedTask(title, { runMs: 20 }))

/** What the dead letter queue says of each task; of a message that nobody could read, under `unknown`. */
const deadLetters = async () => {
  const { body } = await ask<{ items: DlqItem[] }>(`${cloud.baseUrl}/api/dlq?limit=100`)
  return body.items.map(({ taskId, lastError }) => [taskId, lastError])
}

describe('messages at the worker function', () => {
  it(`run a task once, the same one ${SAME} times at once in ${WORKERS} workers, and ${LATER} times later`, async () => {
    const { id } = await created('many messages')
    const same = Array.from({ length: SAME / WORKERS }, () => encodedMessage({ taskId: id, attempt: 1 }))
    const answers = await Promise.all(workers.map((worker) => worker(sqsEvent(...same), context)))
    expect(answers).toEqual(workers.map(() => failed()))
    const later = Array.from({ length: LATER }, () => encodedMessage({ taskId: id, attempt: 1 }))
    expect(await work(...later)).toEqual(failed())
    const runs = cloud.journal().filter(({ taskId }) => taskId === id)
    expect(runs.map(({ did }) => did)).toEqual(['start', 'end'])
    expect(await api.task(id)).toMatchObject({ status: 'completed', attempts: 1 })
    const events = await api.events(id)
    expect([count(events, 'started'), count(events, 'completed')]).toEqual([1, 1])
    expect(replay(events)).toEqual({ status: 'completed' })
  })

  it('are given back before their function is frozen: no lease, no attempt counted, sent again', async () => {
    const { id } = await api.create(scriptedTask('too long', { manner: 'endless' }))
    const remaining = { getRemainingTimeInMillis: () => NEAR_END_MS }
    const answer = await workers[0]?.(sqsEvent(encodedMessage({ taskId: id, attempt: 1 })), remaining)
    expect(answer).toEqual(failed())
    const task = await api.task(id)
    expect(task).toMatchObject({ status: 'queued', attempts: 0 })
    const row = await openStorage(readConfig()).store.get(tasks, id)
    expect(row).not.toHaveProperty('leaseExpiresAt')
    expect((await api.events(id)).map(({ type }) => type)).toEqual([
      'created',
      'queued',
      'started',
      'recovered',
    ])
    await api.cancel(id)
  })

  it('complete the others of a batch with poison, which becomes dead letters that say why', async () => {
    const tasks = await Promise.all(Array.from({ length: 7 }, (_, n) => created(`beside poison ${n}`)))
    const good = tasks.map(({ id }) => encodedMessage({ taskId: id, attempt: 1 }))
    const noJson = 'run the task, please'
    const oldShape = JSON.stringify({ v: 0, task: tasks[0]?.id })
    const unknownTask = encodedMessage({ taskId: 'task_unknown', attempt: 1 })
    const batch = [...good.slice(0, 3), noJson, oldShape, unknownTask, ...good.slice(3)]
    expect(await work(...batch)).toEqual(failed())
    for (const { id } of tasks) expect(await api.task(id)).toMatchObject({ status: 'completed', attempts: 1 })
    const letters = await deadLetters()
    expect(letters).toHaveLength(3)
    // No message comes before its row, so a task that is not there will not come.
    expect(letters).toContainEqual(['task_unknown', expect.stringMatching(/^task_not_found: /)])
    expect(letters).toContainEqual(['unknown', `not_json: ${noJson}`])
    expect(letters).toContainEqual(['unknown', `unknown_shape: ${oldShape}`])
  })

  it.each([
    ['the worker', () => workers[0]],
    ['the function for what SQS gave up on', () => dlq],
  ])('of another shape at %s leave a dead letter by which their task is brought back', async (_, take) => {
    const { id } = await created('of another shape')
    const text = JSON.stringify({ v: 0, body: { taskId: id } })
    expect(await take()?.(sqsEvent(text), context)).toEqual(failed())
    const { items } = (await ask<{ items: DlqItem[] }>(`${cloud.baseUrl}/api/dlq?limit=100`)).body
    const letter = items.find(({ taskId }) => taskId === id)
    expect(letter).toMatchObject({ lastError: `unknown_shape: ${text}` })
    const retry = `${cloud.baseUrl}/api/dlq/${letter?.id}/retry`
    expect(await ask(retry, 'POST')).toMatchObject({
      status: 200,
      body: { item: { status: 'resolved' }, task: { id, status: 'queued' } },
    })
    await work(encodedMessage({ taskId: id, attempt: 1 }))
    expect(await api.task(id)).toMatchObject({ status: 'completed', attempts: 1 })
    expect(await ask(retry, 'POST')).toMatchObject({
      status: 400,
      body: { code: 'dead_letter_not_pending' },
    })
  })
})

describe('messages that SQS gave up on', () => {
  it('become dead letters when they can do nothing, and nothing when their task has gone on', async () => {
    const before = await deadLetters()
    const [waiting, done] = await Promise.all([created('never claimed'), created('claimed in time')])
    await work(encodedMessage({ taskId: done.id, attempt: 1 }))
    const overtaken = encodedMessage({ taskId: done.id, attempt: 1 })
    const unclaimed = encodedMessage({ taskId: waiting.id, attempt: 1 })
    const unknownTask = encodedMessage({ taskId: 'task_unknown', attempt: 1 })
    expect(await dlq(sqsEvent(overtaken, unclaimed, 'no json', unknownTask, '{}'), context)).toEqual(failed())
    const letters = await deadLetters()
    expect(letters).toHaveLength(before.length + 4)
    expect(letters).toContainEqual([waiting.id, expect.stringContaining('no worker claimed the task')])
    expect(letters).toContainEqual(['task_unknown', 'unknown_task'])
    expect(letters).toContainEqual(['unknown', 'not_json: no json'])
    expect(letters).toContainEqual(['unknown', 'unknown_shape: {}'])
    expect(await api.task(done.id)).toMatchObject({ status: 'completed' })
    expect(await api.task(waiting.id)).toMatchObject({ status: 'failed', error: { code: 'undeliverable' } })
    expect(replay(await api.events(waiting.id))).toEqual({ status: 'failed' })
  })

  it('are handled once more when they are notices', async () => {
    const before = await deadLetters()
    const id = 'ntf_01ARZ3NDEKTSV4RRFFQ69G5FAV'
    const told = { type: 'task_failed', title: 'Task failed', message: 'After one attempt', taskId: 'task_1' }
    const notification = { ...told, id, createdAt: '2026-01-01T00:00:00.000Z' }
    const notice = encode({ body: { kind: 'announce', notification }, priority: 3 })
    expect(await dlq(sqsEvent(notice, notice), context)).toEqual(failed())
    const { rows } = await openStorage(readConfig()).store.page(notifications, {
      index: 'newest',
      order: 'desc',
      limit: 10,
    })
    expect(rows).toMatchObject([{ id, ...told }])
    expect(await deadLetters()).toEqual(before)
  })

  it('leave one dead letter of a message that names no task, however often it comes', async () => {
    const before = await deadLetters()
    const same = sqsEvent('no json either', encodedMessage({ taskId: 'task_unknown', attempt: 2 }))
    await Promise.all(Array.from({ length: 5 }, () => dlq(same, context)))
    await dlq(same, context)
    expect(await deadLetters()).toHaveLength(before.length + 2)
  })

  it('leave one dead letter of a task, however often they come', async () => {
    const { id } = await created('given up twice')
    const message = encodedMessage({ taskId: id, attempt: 1 })
    await Promise.all(Array.from({ length: 5 }, () => dlq(sqsEvent(message, message), context)))
    expect((await deadLetters()).filter(([taskId]) => taskId === id)).toHaveLength(1)
  })
})
