import { setTimeout as sleep } from 'node:timers/promises'
import { SendMessageBatchCommand } from '@aws-sdk/client-sqs'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import * as z from 'zod'
import { createSqsConsumer } from '../../../lib/adapters/aws/sqs/consumer.ts'
import { createSqsQueue } from '../../../lib/adapters/aws/sqs/queue.ts'
import { createClock } from '../../../lib/adapters/node/clock.ts'
import { Problem } from '../../../lib/core/errors.ts'
import { seededRandom } from '../../crash/random.ts'
import { createFakeLog } from '../../fakes/log.ts'
import { depthOf, type Sqs, startSqs } from './emulator.ts'
import { failRequests, slowDown, watchRequests } from './requests.ts'
import { until } from './until.ts'

const BodySchema = z.object({ n: z.number() })
type Body = z.output<typeof BodySchema>

const clock = createClock()
let sqs: Sqs
beforeAll(async () => {
  sqs = await startSqs()
})
afterAll(() => sqs.stop())

const open = async (settings: { concurrency?: number; visibilityMs?: number } = {}) => {
  const { concurrency = 10, visibilityMs = 2_000 } = settings
  const client = sqs.connect()
  const seen = watchRequests(client)
  const urls = await sqs.queues()
  const poison: [reason: string, raw: string][] = []
  const log = createFakeLog()
  const consumer = createSqsConsumer<Body>({
    client,
    urls,
    concurrency,
    visibilityMs,
    waitMs: 1_000,
    redeliverAfterMs: 1,
    parse: BodySchema,
    onPoison: async (...put) => void poison.push(put),
    clock,
    log,
  })
  const queue = createSqsQueue<Body>({ client, urls, clock })
  const sendRaw = (texts: readonly string[]) =>
    client.send(
      new SendMessageBatchCommand({
        QueueUrl: urls.normal,
        Entries: texts.map((MessageBody, n) => ({ Id: String(n), MessageBody })),
      }),
    )
  return { client, seen, urls, queue, consumer, poison, log, sendRaw }
}
const numbered = (count: number, priority: 1 | 2 | 3 | 4 = 3) =>
  Array.from({ length: count }, (_, n) => ({ body: { n }, priority }))

describe('receiving from SQS', () => {
  it('needs no more than five requests per task, sending included', async () => {
    const { queue, consumer, seen } = await open()
    const handled = new Set<number>()
    await Promise.all(numbered(200).map((message) => queue.send([message])))
    consumer.start(async ({ body }) => void handled.add(body.n))
    await until(() => handled.size === 200)
    await consumer.drain()
    const counts = Object.fromEntries(
      Array.from(
        Map.groupBy(seen, ({ command }) => command),
        ([command, { length }]) => [command, length],
      ),
    )
    expect(counts.SendMessageBatch).toBe(20)
    expect(seen.length / 200).toBeLessThanOrEqual(5)
    process.stdout.write(`SQS requests for 200 tasks: ${JSON.stringify(counts)}\n`)
  })

  it('lets an urgent message overtake a backlog', async () => {
    const { queue, consumer } = await open({ concurrency: 2 })
    const order: number[] = []
    await queue.send(numbered(500))
    consumer.start(async ({ body }) => {
      order.push(body.n)
      if (order.length === 20) await queue.send([{ body: { n: -1 }, priority: 1 }])
    })
    await until(() => order.length === 501)
    expect(order.indexOf(-1)).toBeGreaterThanOrEqual(20)
    expect(order.indexOf(-1)).toBeLessThan(40)
    await consumer.drain()
  })

  it('serves urgent messages first when both kinds wait', async () => {
    const { queue, consumer } = await open({ concurrency: 1 })
    const order: number[] = []
    await queue.send([
      ...numbered(20, 4),
      ...numbered(5, 1).map(({ body }) => ({ body: { n: -1 - body.n }, priority: 1 as const })),
    ])
    consumer.start(async ({ body }) => void order.push(body.n))
    await until(() => order.length === 25)
    expect(order.slice(0, 5).every((n) => n < 0)).toBe(true)
    await consumer.drain()
  })

  it('keeps a message hidden for as long as its handler runs', async () => {
    const { queue, consumer, seen } = await open({ concurrency: 3 })
    const receives: number[] = []
    await queue.send(numbered(1))
    consumer.start(async (delivery) => {
      receives.push(delivery.receives)
      await sleep(5_000)
    })
    await until(() => receives.length > 0)
    await consumer.drain()
    await sleep(1_000)
    expect(receives).toEqual([1])
    expect(seen.filter(({ command }) => command === 'ChangeMessageVisibilityBatch').length).toBeGreaterThan(3)
  })

  it('delivers again what a consumer held that died', async () => {
    const { client, queue, consumer, urls } = await open()
    await queue.send(numbered(1))
    let held = false
    consumer.start(() => {
      held = true
      // Neither this handler nor its process will ever say anything again.
      client.destroy()
      failRequests(
        client,
        () => 1,
        () => 0,
      )
      return new Promise(() => undefined)
    })
    await until(() => held)
    const next = createSqsConsumer<Body>({
      client: sqs.connect(),
      urls,
      concurrency: 1,
      visibilityMs: 2_000,
      waitMs: 1_000,
      parse: BodySchema,
      onPoison: async () => undefined,
      clock,
      log: createFakeLog(),
    })
    const receives: number[] = []
    next.start(async (delivery) => void receives.push(delivery.receives))
    await until(() => receives.length === 1)
    expect(receives).toEqual([2])
    await next.drain()
    void consumer.drain()
  })

  it('puts poison aside with its reason and goes on with the others', async () => {
    const { queue, consumer, poison, sendRaw, client, urls } = await open()
    const handled: number[] = []
    await sendRaw([
      'no json',
      '{"v":0,"priority":3,"body":{"n":1}}',
      '{"v":1,"priority":3,"body":{"task":"old"}}',
    ])
    await queue.send(numbered(7))
    consumer.start(async ({ body }) => {
      if (body.n === 6) throw new Problem('missing', 'task_not_found', 'Task not found')
      handled.push(body.n)
    })
    await until(() => handled.length === 6 && poison.length === 4)
    await consumer.drain()
    expect(handled.sort()).toEqual([0, 1, 2, 3, 4, 5])
    expect(poison.map(([reason, raw]) => `${reason}: ${raw}`).sort()).toEqual([
      'not_json: no json',
      'task_not_found: {"v":1,"priority":3,"body":{"n":6}}',
      'unknown_shape: {"v":0,"priority":3,"body":{"n":1}}',
      'unknown_shape: {"v":1,"priority":3,"body":{"task":"old"}}',
    ])
    expect(await depthOf(client, urls)).toBe(0)
  })

  it('loses nothing when three of ten requests fail', async () => {
    const { client, queue, consumer, urls } = await open({ concurrency: 20 })
    const random = seededRandom(7)
    let share = 0.3
    failRequests(client, () => share, random)
    const sent = numbered(200)
    const handled = new Set<number>()
    consumer.start(async ({ body }) => {
      if (random() < 0.3) throw new Error('The handler failed as well')
      handled.add(body.n)
    })
    const refused = await Promise.allSettled(sent.map((message) => queue.send([message])))
    // What was refused the sender knows of, and sends again; what was taken is handled.
    const again = sent.filter((_, n) => refused[n]?.status === 'rejected')
    const tick = async () => {
      for (const message of again) await queue.send([message]).catch(() => again.push(message))
    }
    await tick()
    await until(() => handled.size === 200)
    share = 0
    await until(async () => (await depthOf(client, urls)) === 0)
    await consumer.drain()
    expect(handled.size).toBe(200)
  }, 60_000)

  it('gives back what arrives after it was drained', async () => {
    const { queue, consumer, urls, seen } = await open({ visibilityMs: 60_000 })
    const handled: number[] = []
    consumer.start(async ({ body }) => void handled.push(body.n))
    await until(() => seen.filter(({ command }) => command === 'ReceiveMessage').length === 4)
    await consumer.drain()
    await queue.send(numbered(3))
    const next = createSqsConsumer<Body>({
      client: sqs.connect(),
      urls,
      concurrency: 3,
      visibilityMs: 60_000,
      waitMs: 1_000,
      parse: BodySchema,
      onPoison: async () => undefined,
      clock,
      log: createFakeLog(),
    })
    const elsewhere: number[] = []
    next.start(async ({ body }) => void elsewhere.push(body.n))
    await until(() => elsewhere.length === 3)
    expect(handled).toEqual([])
    await next.drain()
  })

  it('drains only once what was handled is deleted', async () => {
    const { queue, consumer, client, urls } = await open()
    slowDown(client, 'DeleteMessageBatchCommand', 300)
    await queue.send(numbered(10))
    let started = 0
    consumer.start(async () => {
      started += 1
    })
    await until(() => started === 10)
    await consumer.drain()
    expect(await depthOf(client, urls)).toBe(0)
  })

  it('goes on when SQS is back, and says meanwhile that nothing could be received', async () => {
    const { client, queue, consumer, log } = await open()
    let share = 0
    await queue.send(numbered(1))
    failRequests(
      client,
      () => share,
      () => 0,
    )
    share = 1
    const handled: number[] = []
    consumer.start(async ({ body }) => void handled.push(body.n))
    await until(() => log.entries.length >= 2)
    share = 0
    await until(() => handled.length === 1)
    expect(log.entries[0]).toMatchObject({ level: 'warn', message: 'no messages could be received' })
    await consumer.drain()
  })
})
