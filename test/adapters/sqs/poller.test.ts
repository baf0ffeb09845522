import { setTimeout as sleep } from 'node:timers/promises'
import { SendMessageBatchCommand, SendMessageCommand } from '@aws-sdk/client-sqs'
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals'
import * as z from 'zod'
import type { SqsEvent } from '../../../lib/adapters/aws/sqs/event.ts'
import { createSqsQueue } from '../../../lib/adapters/aws/sqs/queue.ts'
import { createRedelivery } from '../../../lib/adapters/aws/sqs/redelivery.ts'
import { createSqsBatchHandler } from '../../../lib/adapters/aws/sqs/sqs-batch.ts'
import { createClock } from '../../../lib/adapters/node/clock.ts'
import type { FunctionHandler } from '../../../offline/invocation.ts'
import { type Poller, startPoller } from '../../../offline/sqs-poller.ts'
import { createFakeLog } from '../../fakes/log.ts'
import { depthOf, type Sqs, startSqs } from './emulator.ts'
import { until } from './until.ts'

const BodySchema = z.object({ n: z.number() })
type Body = z.output<typeof BodySchema>

const clock = createClock()
let sqs: Sqs
beforeAll(async () => {
  sqs = await startSqs()
})
afterAll(() => sqs.stop())

const pollers: Poller[] = []
afterEach(async () => void (await Promise.all(pollers.splice(0).map((poller) => poller.stop()))))

const open = async (settings: { visibilityTimeout?: number; maxReceiveCount?: number } = {}) => {
  const client = sqs.connect()
  const urls = await sqs.queues(settings)
  const log = createFakeLog()
  const poll = (handler: FunctionHandler<SqsEvent>, more: { timeoutMs?: number } = {}) => {
    const queueUrl = urls.normal
    const poller = startPoller({ client, queueUrl, batchSize: 10, handler, log, concurrency: 2, ...more })
    pollers.push(poller)
    return poller
  }
  const send = (texts: readonly string[]) =>
    client.send(
      new SendMessageBatchCommand({
        QueueUrl: urls.normal,
        Entries: texts.map((MessageBody, n) => ({ Id: String(n), MessageBody })),
      }),
    )
  return { client, urls, log, poll, send }
}

describe('the poller of the offline stack', () => {
  it('feeds a function with events as Lambda does, and deletes what it is done with', async () => {
    const { client, urls, poll } = await open()
    await client.send(
      new SendMessageCommand({
        QueueUrl: urls.normal,
        MessageBody: 'hello',
        MessageAttributes: { reason: { DataType: 'String', StringValue: 'not_json' } },
      }),
    )
    const events: SqsEvent[] = []
    const left: number[] = []
    const poller = poll(
      async (event, context) => {
        events.push(event)
        left.push(context.getRemainingTimeInMillis())
      },
      { timeoutMs: 5_000 },
    )
    await until(() => events.length === 1)
    await poller.stop()
    expect(events[0]?.Records).toEqual([
      {
        messageId: expect.stringMatching(/^[\w-]{36}$/),
        receiptHandle: expect.any(String),
        body: 'hello',
        attributes: {
          ApproximateReceiveCount: '1',
          SentTimestamp: expect.stringMatching(/^\d{13}$/),
          SenderId: expect.any(String),
          ApproximateFirstReceiveTimestamp: expect.stringMatching(/^\d{13}$/),
        },
        messageAttributes: { reason: { dataType: 'String', stringValue: 'not_json' } },
        md5OfBody: '5d41402abc4b2a76b9719d911017c592',
        eventSource: 'aws:sqs',
        eventSourceARN: expect.stringMatching(/^arn:aws:sqs:us-east-1:\d{12}:queue-\d+$/),
        awsRegion: 'us-east-1',
      },
    ])
    expect(left[0]).toBeGreaterThan(0)
    expect(left[0]).toBeLessThanOrEqual(5_000)
    expect(await depthOf(client, urls)).toBe(0)
  })

  it('leaves what failed to its visibility timeout, then to the dead letter queue', async () => {
    const { client, urls, poll, send } = await open({ visibilityTimeout: 1, maxReceiveCount: 2 })
    await send(['good', 'bad'])
    const received: string[] = []
    const poller = poll(async ({ Records }) => {
      received.push(...Records.map(({ body, attributes }) => `${body} ${attributes.ApproximateReceiveCount}`))
      const bad = Records.filter(({ body }) => body === 'bad')
      return { batchItemFailures: bad.map(({ messageId }) => ({ itemIdentifier: messageId })) }
    })
    await until(async () => (await depthOf(client, { normal: urls.dlq })) === 1)
    await poller.stop()
    expect(received.sort()).toEqual(['bad 1', 'bad 2', 'good 1'])
    expect(await depthOf(client, urls)).toBe(0)
  })

  it.each([
    ['throws', () => Promise.reject(new Error('It failed'))],
    ['takes too long', () => sleep(10_000, undefined, { ref: false })],
    ['names a record that was not in it', async () => ({ batchItemFailures: [{ itemIdentifier: 'other' }] })],
  ])('delivers a whole batch again when the function %s', async (_, first) => {
    const { client, urls, poll, send } = await open({ visibilityTimeout: 1 })
    await send(['a', 'b', 'c'])
    const counts: string[] = []
    const poller = poll(
      async ({ Records }) => {
        counts.push(...Records.map(({ attributes }) => attributes.ApproximateReceiveCount))
        return counts.length <= 3 ? first() : undefined
      },
      { timeoutMs: 500 },
    )
    await until(() => counts.length === 6)
    await poller.stop()
    expect(counts).toEqual(['1', '1', '1', '2', '2', '2'])
    expect(await depthOf(client, urls)).toBe(0)
  })
})

describe('a batch handler behind the poller', () => {
  it('does ten records, one of them poison and one that fails at first', async () => {
    const { client, urls, poll, send } = await open({ visibilityTimeout: 60 })
    const log = createFakeLog()
    const handled: string[] = []
    const poison: string[][] = []
    const handler = createSqsBatchHandler<Body>({
      parse: BodySchema,
      handle: async ({ body, receives }) => {
        if (body.n === 1 && receives === 1) throw new Error('Not yet')
        handled.push(`${body.n} ${receives}`)
      },
      onPoison: async (reason, raw) => poison.push([reason, raw]),
      redeliverIn: createRedelivery(client, [urls.urgent, urls.normal]),
      clock,
      log,
    })
    await send(['poison'])
    const messages = Array.from({ length: 9 }, (_, n) => ({ body: { n }, priority: 3 as const }))
    await createSqsQueue<Body>({ client, urls, clock }).send(messages)
    const poller = poll(handler)
    // The visibility timeout is a minute, so the failed one is back this soon only because it was brought back.
    await until(() => handled.length === 9)
    await poller.stop()
    expect(handled.sort()).toEqual(['0 1', '1 2', ...[2, 3, 4, 5, 6, 7, 8].map((n) => `${n} 1`)])
    expect(await depthOf(client, urls)).toBe(0)
    expect(poison).toEqual([['not_json', 'poison']])
  })
})
