import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs'
import { describe, expect, it } from '@jest/globals'
import { createQueues } from '../../../lib/adapters/aws/sqs/create-queues.ts'
import { queueDefinitions } from '../../../lib/adapters/aws/sqs/definitions.ts'
import { forAllTests } from '../../fakes/lifetimes.ts'
import { startSqs } from './emulator.ts'

const names = { QUEUE_NAME: 'ai-tasks', QUEUE_NOTIFICATION_NAME: 'ai-task-notifications' }
const timeouts = { taskTimeoutMs: 900_000, notificationTimeoutMs: 60_000 }
const definitions = queueDefinitions(names, timeouts)

describe('the queues', () => {
  const sqs = forAllTests(startSqs, ({ stop }) => stop())

  it('are two for tasks, two for those of runners, one for notifications, and a dead letter queue for what functions are fed', () => {
    expect(definitions.map(({ name, deadLetters }) => [name, deadLetters?.queue])).toEqual([
      ['ai-tasks-dlq', undefined],
      ['ai-task-notifications-dlq', undefined],
      ['ai-tasks', 'ai-tasks-dlq'],
      ['ai-tasks-urgent', 'ai-tasks-dlq'],
      ['ai-task-notifications', 'ai-task-notifications-dlq'],
      ['ai-tasks-runners', undefined],
      ['ai-tasks-runners-urgent', undefined],
    ])
  })

  it('hide a message a minute longer than its function may run, six minutes at least where receives are counted', () => {
    const hidden = Object.fromEntries(
      definitions.map(({ name, visibilityTimeout }) => [name, visibilityTimeout]),
    )
    expect(hidden).toEqual({
      'ai-tasks': 960,
      'ai-tasks-urgent': 960,
      'ai-task-notifications': 360,
      'ai-tasks-dlq': 120,
      'ai-task-notifications-dlq': 120,
      'ai-tasks-runners': 60,
      'ai-tasks-runners-urgent': 60,
    })
  })

  it('keep what SQS gave up on longer than what still waits', () => {
    const retention = new Map(definitions.map(({ name, messageRetention }) => [name, messageRetention]))
    for (const { deadLetters, messageRetention } of definitions)
      if (deadLetters) expect(retention.get(deadLetters.queue)).toBeGreaterThan(messageRetention)
    for (const seconds of retention.values()) expect(seconds).toBeLessThanOrEqual(1_209_600)
  })

  it('are created as defined, and found again when they exist', async () => {
    const client = sqs().connect()
    const urls = await createQueues(client, definitions)
    expect(await createQueues(client, definitions)).toEqual(urls)
    expect(Object.keys(urls)).toEqual(definitions.map(({ name }) => name))
    const { Attributes = {} } = await client.send(
      new GetQueueAttributesCommand({ QueueUrl: urls['ai-tasks-urgent'], AttributeNames: ['All'] }),
    )
    expect(Attributes).toMatchObject({ VisibilityTimeout: '960', MessageRetentionPeriod: '864000' })
    expect(JSON.parse(Attributes.RedrivePolicy ?? '')).toEqual({
      deadLetterTargetArn: expect.stringMatching(/:ai-tasks-dlq$/),
      maxReceiveCount: 10,
    })
  })
})
