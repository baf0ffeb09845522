import { SendMessageBatchCommand } from '@aws-sdk/client-sqs'
import { describe, expect, it } from '@jest/globals'
import { Problem } from '../../../lib/core/errors.ts'
import { seededRandom } from '../../crash/random.ts'
import { until } from '../../fakes/until.ts'
import { totalDepth } from './emulator.ts'
import { numberedQueues } from './numbered.ts'
import { failRequests } from './requests.ts'

const { open, openOn } = numberedQueues()
const numbered = (count: number, priority: 1 | 2 | 3 | 4 = 3) =>
  Array.from({ length: count }, (_, n) => ({ body: { n }, priority }))

/** As the worker is fed. */
const ONE = { batchSize: 1 }

describe('a function that is fed from SQS', () => {
  it('needs no more than five requests per message, sending included, one at a time too', async () => {
    const { queue, feed, createBatchHandler, stop, seen } = await open()
    const handled = new Set<number>()
    await Promise.all(numbered(200).map((message) => queue.send([message])))
    feed(
      createBatchHandler(async ({ body }) => void handled.add(body.n)),
      ONE,
    )
    await until(() => handled.size === 200)
    await stop()
    const made = (command: string) => seen.filter((one) => one.command === command).length
    expect(made('SendMessageBatch')).toBe(20)
    expect(made('ReceiveMessage')).toBeGreaterThanOrEqual(200)
    expect(seen.length / 200).toBeLessThanOrEqual(5)
  })

  it('does ten messages, one of them poison and one that fails at first, which comes back soon', async () => {
    const { client, urls, queue, feed, createBatchHandler, stop, poison } = await open({
      visibilityTimeout: 60,
    })
    const handled: string[] = []
    await client.send(
      new SendMessageBatchCommand({
        QueueUrl: urls.normal,
        Entries: [{ Id: 'poison', MessageBody: '{"v":0,"priority":3,"body":{"n":1}}' }],
      }),
    )
    await queue.send(numbered(9))
    feed(
      createBatchHandler(async ({ body, receives }) => {
        if (body.n === 1 && receives === 1) throw new Error('Not yet')
        if (body.n === 2) throw new Problem('missing', 'task_not_found', 'Task not found')
        handled.push(`${body.n} ${receives}`)
      }),
    )
    await until(() => handled.length === 8 && poison.length === 2)
    await stop()
    expect(handled.sort()).toEqual(['0 1', '1 2', ...[3, 4, 5, 6, 7, 8].map((n) => `${n} 1`)])
    expect(poison.map(({ reason }) => reason).sort()).toEqual(['task_not_found', 'unknown_shape'])
    expect(await totalDepth(client, urls)).toBe(0)
  })

  it('lets an urgent message overtake a backlog', async () => {
    const { queue, feed, createBatchHandler } = await open()
    const order: number[] = []
    await queue.send(numbered(500))
    feed(
      createBatchHandler(async ({ body }) => {
        order.push(body.n)
        if (order.length === 20) await queue.send([{ body: { n: -1 }, priority: 1 }])
      }),
      ONE,
    )
    await until(() => order.length === 501)
    // The urgent queue is asked anew when the receive that waits there ends, at once.
    expect(order.indexOf(-1)).toBeLessThan(250)
  })

  it('gets again, counted, what a function died over', async () => {
    const dead = await open({ visibilityTimeout: 1 })
    await dead.queue.send(numbered(1))
    const ids: string[] = []
    dead.feed(
      dead.createBatchHandler(({ id }) => {
        ids.push(id)
        // Neither this handler nor its process will ever say anything again.
        dead.client.destroy()
        failRequests(
          dead.client,
          () => 1,
          () => 0,
        )
        return new Promise(() => undefined)
      }),
      { ...ONE, timeoutMs: 3_000 },
    )
    await until(() => ids.length === 1)
    void dead.stop()
    const next = openOn(dead.urls)
    const handed: [id: string, receives: number][] = []
    next.feed(next.createBatchHandler(async ({ id, receives }) => void handed.push([id, receives])))
    await until(() => handed.length === 1)
    // A receive that was under way at the death counts as well.
    expect(handed[0]?.[0]).toBe(ids[0])
    expect(handed[0]?.[1]).toBeGreaterThanOrEqual(2)
  })

  it('loses nothing when three of ten requests fail', async () => {
    const { client, urls, queue, feed, createBatchHandler } = await open({
      visibilityTimeout: 2,
      maxReceiveCount: 100,
    })
    const random = seededRandom(7)
    let share = 0.3
    failRequests(client, () => share, random)
    const sent = numbered(200)
    const handled = new Set<number>()
    feed(
      createBatchHandler(async ({ body }) => void handled.add(body.n)),
      { concurrency: 20 },
    )
    const outcomes = await Promise.allSettled(sent.map((message) => queue.send([message])))
    // What was refused the sender knows of, and sends again; what was taken is handled.
    const again = sent.filter((_, n) => outcomes[n]?.status === 'rejected')
    for (const message of again) await queue.send([message]).catch(() => again.push(message))
    await until(() => handled.size === 200)
    share = 0
    await until(async () => (await totalDepth(client, urls)) === 0)
    expect(handled.size).toBe(200)
  })

  it('goes on when SQS is back', async () => {
    const { client, queue, feed, createBatchHandler, log } = await open()
    let share = 1
    await queue.send(numbered(1))
    failRequests(
      client,
      () => share,
      () => 0,
    )
    const handled: number[] = []
    feed(createBatchHandler(async ({ body }) => void handled.push(body.n)))
    await until(() => log.entries.length >= 2)
    share = 0
    await until(() => handled.length === 1)
    expect(handled).toEqual([0])
  })
})
