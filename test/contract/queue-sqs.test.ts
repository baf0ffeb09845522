import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll } from '@jest/globals'
import * as z from 'zod'
import { createSqsConsumer } from '../../lib/adapters/aws/sqs/consumer.ts'
import { createSqsQueue } from '../../lib/adapters/aws/sqs/queue.ts'
import { createClock } from '../../lib/adapters/node/clock.ts'
import { type Sqs, startSqs, type TestQueues } from '../adapters/sqs/emulator.ts'
import { failRequests } from '../adapters/sqs/requests.ts'
import { createFakeLog } from '../fakes/log.ts'
import { type Message, type OpenQueue, queueContract } from './queue.ts'

const MessageSchema = z.object({ taskId: z.string(), attempt: z.number() })

let sqs: Sqs
beforeAll(async () => {
  sqs = await startSqs()
})
afterAll(() => sqs.stop())

const openOn = (urls: TestQueues, concurrency: number): OpenQueue => {
  const client = sqs.connect()
  const clock = createClock()
  const log = createFakeLog()
  const consumer = createSqsConsumer<Message>({
    client,
    urls,
    concurrency,
    visibilityMs: 2_000,
    waitMs: 1_000,
    parse: MessageSchema,
    onPoison: async (reason) => Promise.reject(new Error(reason)),
    clock,
    log,
  })
  const close = async () => {
    void consumer.drain()
    client.destroy()
  }
  return {
    queue: createSqsQueue<Message>({ client, urls, clock }),
    consumer,
    pass: async (ms) => void (await sleep(ms)),
    breakDown: () =>
      failRequests(
        client,
        () => 1,
        () => 0,
      ),
    async reopen() {
      await close()
      return openOn(urls, concurrency)
    },
    close,
  }
}

const lacked = 'a standard queue of SQS delivers in any order; only priority 1 has a queue of its own'

queueContract('on SQS', async ({ concurrency }) => openOn(await sqs.queues(), concurrency), {
  lacks: { 'strict priority': lacked, 'order within a priority': lacked },
  delayMs: 1_000,
  redeliverMs: 2_500,
})
