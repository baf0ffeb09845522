import type { BodySchema } from '../../../lib/adapters/aws/sqs/message.ts'
import { createSqsQueue } from '../../../lib/adapters/aws/sqs/queue.ts'
import {
  createRedelivery,
  createSqsBatchHandler,
  type Poison,
  type SqsEvent,
} from '../../../lib/adapters/aws/sqs/sqs-batch.ts'
import { createClock } from '../../../lib/adapters/node/clock.ts'
import type { FunctionHandler } from '../../../offline/invocation.ts'
import { type Poller, startPoller } from '../../../offline/sqs-poller.ts'
import { createFakeLog } from '../../fakes/log.ts'
import type { Sqs, TestQueues } from './emulator.ts'
import { watchRequests } from './requests.ts'

type Feeding = { batchSize?: number; concurrency?: number; timeoutMs?: number }
type Handle<Body> = Parameters<typeof createSqsBatchHandler<Body>>[0]['handle']

/**
 * Queues with what stands on either side of them when deployed: the sender, and functions that are fed by pollers, one
 * of each queue, as Lambda feeds them.
 */
export const openFed = <Body>(sqs: Sqs, urls: TestQueues, parse: BodySchema<Body>) => {
  const client = sqs.connect()
  const seen = watchRequests(client)
  const clock = createClock()
  const log = createFakeLog()
  const poison: Poison[] = []
  const pollers: Poller[] = []

  const feed = (handler: FunctionHandler<SqsEvent>, more: Feeding = {}) => {
    const settings = { client, handler, log, batchSize: 10, concurrency: 2, timeoutMs: 10_000, ...more }
    for (const queueUrl of [urls.urgent, urls.normal]) pollers.push(startPoller({ ...settings, queueUrl }))
  }
  const stop = async () => void (await Promise.all(pollers.splice(0).map((poller) => poller.stop())))

  /** The function that has each message handled. */
  const createBatchHandler = (handle: Handle<Body>) =>
    createSqsBatchHandler<Body>({
      parse,
      handle,
      onPoison: async (one) => poison.push(one),
      redeliverIn: createRedelivery({ client, anyUrl: urls.normal, clock }),
      clock,
      log,
    })

  const queue = createSqsQueue<Body>({ client, urls, clock })
  return { client, seen, urls, log, poison, queue, feed, createBatchHandler, stop }
}

export type Fed<Body> = ReturnType<typeof openFed<Body>>
