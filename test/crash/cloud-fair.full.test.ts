import * as path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { handler as work } from '../../functions/worker.ts'
import { decode, encode } from '../../lib/adapters/aws/sqs/message.ts'
import { LOCAL_ADMIN } from '../../lib/core/principal.ts'
import { RunTaskSchema, type Task } from '../../lib/tasks/schema.ts'
import { type Api, ask, taskApi, until } from '../journeys/api.ts'
import { scriptedTask } from '../journeys/scripted.ts'
import { root } from '../journeys/service.ts'
import { type Cloud, openCloud } from './cloud.ts'
import { startFairSqs } from './fair-sqs.ts'

const BACKLOG = Number(process.env.CLOUD_BACKLOG ?? 300)
const AT_ONCE = 5
const WORKERS = 2
// Ten at once are a hundred a second: an urgent task may lose a second when its message is faster than its row.
const RUN_MS = 100
const RUN_BEFORE = 50
/** Those of the backlog that may end while somebody is served: a few, where in turn it would be all. */
const MOST_OVERTAKING = Math.max(BACKLOG / 10, 120)

const agents = ['scripted', 'moody'].map((name) => path.join(root, `test/fixtures/agents/${name}.ts`))

let sqs: Awaited<ReturnType<typeof startFairSqs>> | undefined
let cloud: Cloud
let consumer: ReturnType<Cloud['launchConsumer']>
let api: Api
beforeAll(async () => {
  const settings = {
    AGENT_ADAPTERS: agents.join(','),
    QUEUE_CONCURRENCY: String(AT_ONCE),
    QUEUE_RETRY_ATTEMPTS: '2',
    QUEUE_RETRY_BACKOFF_MS: '0',
    // A provider that nobody calls, lest every worker starts a demo model of its own.
    OPENAI_API_KEY: 'unused',
  }
  cloud = await openCloud(settings, async (origin) => {
    if (origin === process.env.DYNAMODB_ENDPOINT) return origin
    sqs ??= await startFairSqs(origin, 'ai-tasks')
    return sqs.url
  })
  consumer = cloud.launchConsumer()
  api = taskApi(cloud.baseUrl)
})
afterAll(async () => {
  await cloud?.[Symbol.asyncDispose]()
  sqs?.stop()
})

const messageText = ({ id, priority }: Task, attempt: number) =>
  encode({ body: { taskId: id, attempt }, priority })

const isMessageFor = (text: string, { id, priority }: Task, attempt: number): boolean => {
  const message = decode(text, RunTaskSchema)
  if ('reason' in message) return false
  const { taskId, attempt: named } = message.body
  return message.priority === priority && taskId === id && named === attempt
}
/** The groups that the messages of an attempt were sent with. */
const sentGroups = async (task: Task, attempt = 1) => {
  await consumer.drained()
  return (sqs?.sent ?? []).flatMap(({ MessageBody = '', MessageGroupId }) =>
    isMessageFor(MessageBody, task, attempt) ? [MessageGroupId] : [],
  )
}

/** Has a worker run an attempt of a task. */
const run = async (task: Task, attempt: number) => {
  const record = {
    messageId: `${task.id}-${attempt}`,
    receiptHandle: 'none',
    body: messageText(task, attempt),
    attributes: { ApproximateReceiveCount: '1' },
    messageAttributes: {},
    eventSourceARN: 'arn:aws:sqs:us-east-1:000000000000:ai-tasks',
  }
  const answer = await work({ Records: [record] }, { getRemainingTimeInMillis: () => 60_000 })
  expect(answer).toEqual({ batchItemFailures: [] })
}

describe('the group of a message, by which SQS is fair', () => {
  it.each([1, 2, 3, 4])('is the repository of its task, at priority %d', async (priority) => {
    const task = await api.create({ title: 'of a repository', repository: 'owner/loud', priority })
    expect(await sentGroups(task)).toEqual(['owner/loud'])
  })

  it('is the creator of a task without a repository', async () => {
    expect(await sentGroups(await api.create({ title: 'of nobody' }))).toEqual([LOCAL_ADMIN.userId])
  })

  it('is one that SQS takes, the same for all tasks of a repository, whatever its name', async () => {
    const names = ['zwei Wörter', 'zwei Wörter', 'zwei Worte']
    const tasks = await Promise.all(names.map((repository) => api.create({ title: 'odd', repository })))
    const [one = '', same, other] = (await Promise.all(tasks.map((task) => sentGroups(task)))).flat()
    expect(one).toMatch(/^[\x21-\x7e]{1,128}$/)
    expect(same).toBe(one)
    expect(other).not.toBe(one)
  })

  it('stays with a task through retries, by the worker and by hand, and back from the dead letters', async () => {
    const repository = 'owner/failing'
    const metadata = { failures: 9 }
    const task = await api.create({ title: 'fails', repository, assignedAgent: 'moody', metadata })
    await run(task, 1)
    await run(task, 2)
    expect((await api.task(task.id)).status).toBe('failed')
    expect(await sentGroups(task, 2)).toEqual([repository])
    const { items } = (await ask<{ items: { id: string }[] }>(`${cloud.baseUrl}/api/dlq`)).body
    const redriven = await ask<{ task: Task }>(`${cloud.baseUrl}/api/dlq/${items[0]?.id}/retry`, 'POST')
    expect(redriven.body.task).toMatchObject({ id: task.id, status: 'queued' })
    expect(await sentGroups(task, 1)).toEqual([repository, repository])
    await run(task, 1)
    await run(task, 2)
    const again = await ask<{ task: Task }>(`${cloud.baseUrl}/api/tasks/${task.id}/retry`, 'POST')
    expect(await sentGroups(again.body.task)).toEqual([repository])
  })
})

/** The tasks whose runs have ended, in that order. */
const ended = () => cloud.journal().flatMap(({ did, taskId }) => (did === 'end' ? [taskId] : []))

/** Creates the backlog, ten at a time. */
const pileUp = async () => {
  let made = 0
  const create = async () => {
    while (made < BACKLOG) {
      made += 1
      const task = scriptedTask(`backlog ${made}`, { runMs: RUN_MS })
      await api.create({ ...task, repository: 'owner/loud' })
    }
  }
  await Promise.all(Array.from({ length: 10 }, create))
}

/** Creates tasks and waits until all have run; how many others ended meanwhile. */
const overtakenBy = async (bodies: readonly object[]): Promise<number> => {
  const before = ended().length
  const ids = await Promise.all(bodies.map(async (body) => (await api.create(body)).id))
  const last = await until(() => {
    const all = ended()
    const places = ids.map((id) => all.indexOf(id))
    return places.includes(-1) ? undefined : Math.max(...places)
  })
  return last - before - (ids.length - 1)
}

describe(`a backlog of ${BACKLOG} tasks of one repository`, () => {
  beforeAll(async () => {
    await pileUp()
    await Promise.all(Array.from({ length: WORKERS }, () => cloud.launchWorker().ready))
    await until(() => ended().length >= RUN_BEFORE || undefined)
  })

  const waiting = async () => (await api.queueStatus()).queues.tasks.queued

  it('is overtaken by a task of priority 1 of that repository', async () => {
    const urgent = scriptedTask('urgent', { runMs: RUN_MS })
    const others = await overtakenBy([{ ...urgent, repository: 'owner/loud', priority: 1 }])
    expect(others).toBeLessThanOrEqual(MOST_OVERTAKING)
    expect(await waiting()).toBeGreaterThan(BACKLOG / 2)
    process.stdout.write(`An urgent task ended after ${others} of a backlog of ${BACKLOG}\n`)
  })

  it('does not starve another with three, where the queue is fair to the groups that it is told', async () => {
    const quiet = Array.from({ length: 3 }, (_, n) => ({
      ...scriptedTask(`quiet ${n}`, { runMs: RUN_MS }),
      repository: 'owner/quiet',
    }))
    const others = await overtakenBy(quiet)
    expect(others).toBeLessThanOrEqual(MOST_OVERTAKING)
    expect(await waiting()).toBeGreaterThan(BACKLOG / 2)
    process.stdout.write(`Three of another repository ended after ${others} of a backlog of ${BACKLOG}\n`)
  })
})
