import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs'
import { errorMessage } from '../../../core/errors.ts'
import { retry } from '../../../core/retry.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Log } from '../../../ports/log.ts'
import type { Fits, Received, Receiving } from '../../../ports/queue.ts'
import { failRequest } from './batcher.ts'
import { type BodySchema, decode } from './message.ts'
import type { QueueUrls } from './queue.ts'

/** How long a receive waits for a message. Between two of them the receiver looks whether it is to end. */
const WAIT_SECONDS = 1
/** The wait of a receiver after messages that do not fit it: others receive them meanwhile. */
const LEAVE_MS = 250
/** A message that so many receives have found no receiver for is hidden for a while, so that those behind it are seen. */
const SHOWN_RECEIVES = 100
const HIDDEN_SECONDS = 10
/** After a message that does not fit a receiver takes as many as a request allows, and gives back all but one. */
const MOST_MESSAGES = 10

/** For how long a message is hidden that does not fit its receiver, after so many receives. */
export const hiddenSeconds = (receives: number): number => (receives < SHOWN_RECEIVES ? 0 : HIDDEN_SECONDS)

type Needs<Body> = {
  client: SQSClient
  urls: Required<QueueUrls>
  parse: BodySchema<Body>
  clock: Pick<Clock, 'after'>
  log: Pick<Log, 'warn'>
}

type Found<Body> = { body: Body; receives: number; handle: string; url: string }

/**
 * The receiving side of SQS standard queues, for receivers that fit some messages only. Priority 1 has its own queue, which
 * is looked at first; within a queue SQS has no order. A message that does not fit is visible again at once. An unreadable
 * one is deleted.
 */
export const createSqsReceiver = <Body>(needs: Needs<Body>): Pick<Receiving<Body>, 'receive'> => {
  const { client, urls, parse, clock, log } = needs

  const remove = async (url: string, handle: string): Promise<void> => {
    const command = new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle: handle })
    await retry(() => client.send(command).catch(failRequest), clock)
  }

  /** Makes messages of a queue visible again. One for which it fails comes again at the end of its visibility timeout. */
  const show = async (
    url: string,
    messages: readonly Found<Body>[],
    seconds: (receives: number) => number,
  ) => {
    if (messages.length === 0) return
    const Entries = messages.map(({ handle, receives }, n) => ({
      Id: String(n),
      ReceiptHandle: handle,
      VisibilityTimeout: seconds(receives),
    }))
    await client
      .send(new ChangeMessageVisibilityBatchCommand({ QueueUrl: url, Entries }))
      .catch((thrown) => log.warn({ reason: errorMessage(thrown) }, 'messages were not given back'))
  }

  const toFound = async (url: string, message: Message): Promise<Found<Body>[]> => {
    const { Body: text = '', ReceiptHandle: handle = '', Attributes } = message
    const decoded = decode(text, parse)
    if ('body' in decoded) {
      const receives = Number(Attributes?.ApproximateReceiveCount ?? 1)
      return [{ body: decoded.body, receives, handle, url }]
    }
    log.warn({ messageId: message.MessageId, reason: decoded.reason }, 'an unreadable message was deleted')
    await remove(url, handle)
    return []
  }

  const take = async (url: string, waitSeconds: number, most: number): Promise<Found<Body>[]> => {
    const command = new ReceiveMessageCommand({
      QueueUrl: url,
      MaxNumberOfMessages: most,
      WaitTimeSeconds: waitSeconds,
      MessageSystemAttributeNames: ['ApproximateReceiveCount'],
    })
    const { Messages = [] } = await client.send(command).catch(failRequest)
    return (await Promise.all(Messages.map((message) => toFound(url, message)))).flat()
  }

  const received = (message: Found<Body>): Received<Body> => ({
    body: message.body,
    receives: message.receives,
    giveBack: () => show(message.url, [message], () => 0),
    done: () => remove(message.url, message.handle),
  })

  const pause = () => new Promise<void>((resolve) => void clock.after(LEAVE_MS, resolve))

  type Look = { url: string; waitSeconds: number; most: number; fits: Fits<Body> }

  /** One receive: the message that fits, if any, and how many were left to others. */
  const look = async ({ url, waitSeconds, most, fits }: Look, signal: AbortSignal) => {
    // A request is not cut: the messages of its answer would be hidden for nothing.
    const found = await take(url, waitSeconds, most)
    const chosen = signal.aborted ? undefined : found.find(({ body }) => fits(body))
    const others = found.filter((one) => one !== chosen)
    await show(url, others, chosen || signal.aborted ? () => 0 : hiddenSeconds)
    return { chosen, left: others.length }
  }

  const lookAtBoth = async (most: number, fits: Fits<Body>, signal: AbortSignal) => {
    const urgent = await look({ url: urls.urgent, waitSeconds: 0, most, fits }, signal)
    if (urgent.chosen) return urgent
    const waitSeconds = urgent.left > 0 ? 0 : WAIT_SECONDS
    const normal = await look({ url: urls.normal, waitSeconds, most, fits }, signal)
    return { chosen: normal.chosen, left: urgent.left + normal.left }
  }

  return {
    receive: async (fits, signal) => {
      let most = 1
      while (!signal.aborted) {
        const { chosen, left } = await lookAtBoth(most, fits, signal)
        if (chosen) return received(chosen)
        most = left > 0 ? MOST_MESSAGES : 1
        if (left > 0) await pause()
      }
      return undefined
    },
  }
}
