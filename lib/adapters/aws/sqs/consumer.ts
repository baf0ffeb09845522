import type { SQSClient } from '@aws-sdk/client-sqs'
import { messageOf } from '../../../core/errors.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Log } from '../../../ports/log.ts'
import type { Consumer, Delivery } from '../../../ports/queue.ts'
import { createIntake, type IntakeNeeds } from './intake.ts'
import { createLane, type Lane, type Received } from './lane.ts'
import { createPolling } from './poll.ts'
import type { QueueUrls } from './queue.ts'
import { redeliveryMs } from './redelivery.ts'

type Needs<Body> = IntakeNeeds<Body> & {
  client: SQSClient
  urls: QueueUrls
  concurrency: number
  /** How long a message stays hidden when nobody extends it, in whole seconds: so late it comes again after a crash. */
  visibilityMs: number
  /** How long a receive waits for messages, in whole seconds up to the 20 that SQS allows, which is the default. */
  waitMs?: number
  /** The wait before a message whose handler rejected comes again for the first time; 1 s by default. */
  redeliverAfterMs?: number
  clock: Pick<Clock, 'monotonic' | 'after'>
  log: Pick<Log, 'warn'>
}

type Handler<Body> = (delivery: Delivery<Body>) => Promise<void>

/**
 * The receiving side of SQS in a long-lived process. It holds only messages that it has a handler for, urgent ones
 * first, and keeps them hidden while their handlers run. A drained consumer can be started again. Receives that wait
 * when it is drained end by themselves or with the client, and what they still bring is given back.
 */
export const createSqsConsumer = <Body>(needs: Needs<Body>): Consumer<Body> => {
  const { urls, concurrency, waitMs = 20_000, redeliverAfterMs, log } = needs
  const intake = createIntake(needs)
  const idle: (() => void)[] = []
  let handler: Handler<Body> | undefined
  let running = 0
  // Messages in hand: their handler runs, or what came of it is being told to SQS.
  let inHand = 0

  const take = (lane: Lane, message: Received) => {
    if (handler) void serve(lane, message, handler)
  }
  const lanes = [urls.urgent, urls.normal]
    .filter((url) => url !== undefined)
    .map((url) => createLane({ ...needs, url }))
  const room = () => (handler ? concurrency - running : 0)
  const polling = createPolling({ ...needs, lanes, waitMs, room, take })

  const serve = async (lane: Lane, message: Received, handle: Handler<Body>) => {
    running += 1
    inHand += 1
    const letGo = lane.hold(message)
    const failure = await intake(message, handle).then(
      () => undefined,
      (thrown: unknown) => ({ thrown }),
    )
    running -= 1
    void polling.go()
    if (failure === undefined) {
      await lane.remove(message)
      letGo()
    } else {
      // First let go, so that no extension undoes the backoff.
      letGo()
      await sendBack(lane, message, failure.thrown)
    }
    inHand -= 1
    if (inHand === 0) for (const resolve of idle.splice(0)) resolve()
  }

  const sendBack = (lane: Lane, message: Received, thrown: unknown): Promise<void> => {
    const { id, receives } = message
    const retryInMs = redeliveryMs(receives, redeliverAfterMs)
    log.warn({ messageId: id, receives, retryInMs, error: messageOf(thrown) }, 'message failed, comes again')
    return lane.giveBack(message, retryInMs)
  }

  return {
    concurrency,
    /** Throws when the consumer is started already, or is still being drained. */
    start(next) {
      if (handler || running > 0)
        throw new Error('The consumer is started already, or is still being drained')
      handler = next
      void polling.go()
    },
    drain() {
      handler = undefined
      return inHand === 0 ? Promise.resolve() : new Promise((resolve) => idle.push(resolve))
    },
    get running() {
      return handler !== undefined
    },
  }
}
