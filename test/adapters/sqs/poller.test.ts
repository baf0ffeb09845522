import { setTimeout as sleep } from 'node:timers/promises'
import { SendMessageBatchCommand, SendMessageCommand } from '@aws-sdk/client-sqs'
import { describe, expect, it } from '@jest/globals'
import type { SqsEvent } from '../../../lib/adapters/aws/sqs/sqs-batch.ts'
import { until } from '../../fakes/until.ts'
import { totalDepth } from './emulator.ts'
import { numberedQueues } from './numbered.ts'

const queues = numberedQueues()
const open = async (settings?: Parameters<typeof queues.open>[0]) => {
  const fed = await queues.open(settings)
  const send = (...texts: string[]) =>
    fed.client.send(
      new SendMessageBatchCommand({
        QueueUrl: fed.urls.normal,
        Entries: texts.map((MessageBody, n) => ({ Id: String(n), MessageBody })),
      }),
    )
  return { ...fed, send }
}

describe('the poller of the offline stack', () => {
  it('feeds a function with events as Lambda does, and deletes what it is done with', async () => {
    const { client, urls, feed, stop } = await open()
    await client.send(
      new SendMessageCommand({
        QueueUrl: urls.normal,
        MessageBody: 'hello',
        MessageAttributes: { reason: { DataType: 'String', StringValue: 'not_json' } },
      }),
    )
    const events: SqsEvent[] = []
    const left: number[] = []
    feed(
      async (event, context) => {
        events.push(event)
        left.push(context.getRemainingTimeInMillis())
      },
      { timeoutMs: 5_000 },
    )
    await until(() => events.length === 1)
    await stop()
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
    expect(await totalDepth(client, urls)).toBe(0)
  })

  it('leaves what failed to its visibility timeout, then to the dead letter queue', async () => {
    const { client, urls, feed, stop, send } = await open({ visibilityTimeout: 1, maxReceiveCount: 2 })
    await send('good', 'bad')
    const received: string[] = []
    feed(async ({ Records }) => {
      received.push(...Records.map(({ body, attributes }) => `${body} ${attributes.ApproximateReceiveCount}`))
      const bad = Records.filter(({ body }) => body === 'bad')
      return { batchItemFailures: bad.map(({ messageId }) => ({ itemIdentifier: messageId })) }
    })
    await until(async () => (await totalDepth(client, { normal: urls.dlq })) === 1)
    await stop()
    expect(received.sort()).toEqual(['bad 1', 'bad 2', 'good 1'])
    expect(await totalDepth(client, urls)).toBe(0)
  })

  it.each([
    ['throws', () => Promise.reject(new Error('It failed'))],
    ['takes too long', () => sleep(10_000, undefined, { ref: false })],
    ['names a record that was not in it', async () => ({ batchItemFailures: [{ itemIdentifier: 'other' }] })],
  ])('delivers a whole batch again when the function %s', async (_, first) => {
    const { client, urls, feed, stop, send } = await open({ visibilityTimeout: 1 })
    await send('a', 'b', 'c')
    const counts: string[] = []
    feed(
      async ({ Records }) => {
        counts.push(...Records.map(({ attributes }) => attributes.ApproximateReceiveCount))
        return counts.length <= 3 ? first() : undefined
      },
      { timeoutMs: 500 },
    )
    await until(() => counts.length === 6)
    await stop()
    expect(counts).toEqual(['1', '1', '1', '2', '2', '2'])
    expect(await totalDepth(client, urls)).toBe(0)
  })
})
