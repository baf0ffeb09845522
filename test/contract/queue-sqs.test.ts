import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import type { Consumer } from '../../lib/ports/queue.ts'
import { startSqs, type TestQueues } from '../adapters/sqs/emulator.ts'
import { type Fed, openFed } from '../adapters/sqs/fed.ts'
import { failRequests } from '../adapters/sqs/requests.ts'
import { forAllTests } from '../fakes/lifetimes.ts'
import { type Message, type OpenQueue, queueContract } from './queue.ts'

const MessageSchema = z.object({ taskId: z.string(), attempt: z.number() })

const sqs = forAllTests(startSqs, ({ stop }) => stop())

/**
 * The receiving side of SQS as the port has it. It is no process of ours: Lambda feeds a function with each queue, here
 * by the poller of the offline stack, one message at a time as the worker gets them.
 */
const fedConsumer = (
  { feed, createBatchHandler, stop }: Fed<Message>,
  concurrency: number,
): Consumer<Message> => {
  let running = false
  return {
    concurrency,
    start(handle) {
      if (running) throw new Error('The pollers are started already')
      running = true
      feed(
        createBatchHandler(({ body, receives }) => handle({ body, receives })),
        { batchSize: 1, concurrency },
      )
    },
    drain() {
      running = false
      return stop()
    },
    get running() {
      return running
    },
  }
}

const openOn = (urls: TestQueues, concurrency: number): OpenQueue => {
  const fed = openFed<Message>(sqs(), urls, MessageSchema)
  const close = async () => {
    void fed.stop()
    fed.client.destroy()
  }
  return {
    queue: fed.queue,
    consumer: fedConsumer(fed, concurrency),
    pass: async (ms) => void (await sleep(ms)),
    breakDown: () =>
      failRequests(
        fed.client,
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
// What is not done with comes again within the time that the suite waits for it.
const queues = () => sqs().queues({ visibilityTimeout: 1 })

queueContract('on SQS', async ({ concurrency }) => openOn(await queues(), concurrency), {
  lacks: { 'strict priority': lacked, 'order within a priority': lacked },
  delayMs: 1_000,
  redeliverMs: 1_500,
})
