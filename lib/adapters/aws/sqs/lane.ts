import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageBatchCommand,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs'
import { messageOf } from '../../../core/errors.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Log } from '../../../ports/log.ts'
import { createBatcher, MOST_ENTRIES } from './batcher.ts'
import { answerWithinMs } from './client.ts'
import { createHeld } from './held.ts'
import type { RawMessage } from './intake.ts'

/** A message in hand, with the handle by which this receive of it is known. */
export type Received = RawMessage & { receipt: string }

type Needs = {
  client: SQSClient
  url: string
  visibilityMs: number
  clock: Pick<Clock, 'monotonic' | 'after'>
  log: Pick<Log, 'warn'>
}

export type Lane = ReturnType<typeof createLane>

const MOST_REQUESTS = 2

/** One queue as its receiver sees it. */
export const createLane = ({ client, url, visibilityMs, clock, log }: Needs) => {
  const visibility = createBatcher<{ ReceiptHandle: string; VisibilityTimeout: number }>({
    request: (Entries) => client.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl: url, Entries })),
    mostInFlight: MOST_REQUESTS,
    clock,
  })
  const deletion = createBatcher<{ ReceiptHandle: string }>({
    request: (Entries) => client.send(new DeleteMessageBatchCommand({ QueueUrl: url, Entries })),
    mostInFlight: MOST_REQUESTS,
    clock,
  })
  const hideFor = ({ receipt }: Received, ms: number) =>
    visibility.add({ ReceiptHandle: receipt, VisibilityTimeout: Math.ceil(ms / 1_000) })
  const { hold } = createHeld<Received>({
    visibilityMs,
    extend: (message) => hideFor(message, visibilityMs),
    clock,
    log,
  })

  return {
    hold,
    /** Up to `most` messages, and at least one within `waitMs` if there is any. */
    async receive(most: number, waitMs: number): Promise<Received[]> {
      const command = new ReceiveMessageCommand({
        QueueUrl: url,
        MaxNumberOfMessages: Math.min(most, MOST_ENTRIES),
        WaitTimeSeconds: Math.ceil(waitMs / 1_000),
        VisibilityTimeout: Math.ceil(visibilityMs / 1_000),
        MessageSystemAttributeNames: ['ApproximateReceiveCount'],
      })
      const { Messages = [] } = await client.send(command, { requestTimeout: answerWithinMs(waitMs) })
      return Messages.map(({ MessageId = '', Body = '', ReceiptHandle = '', Attributes }) => ({
        id: MessageId,
        text: Body,
        receipt: ReceiptHandle,
        receives: Number(Attributes?.ApproximateReceiveCount ?? 1),
      }))
    },
    /** Deletes a message. Never rejects: one that stays comes again, and its handler can stand that. */
    remove: (message: Received): Promise<void> =>
      deletion
        .add({ ReceiptHandle: message.receipt })
        .catch((thrown) =>
          log.warn(
            { messageId: message.id, error: messageOf(thrown) },
            'message was not deleted, comes again',
          ),
        ),
    /** Lets a message be delivered again after `delayMs`. Never rejects: at the latest its visibility timeout does it. */
    giveBack: (message: Received, delayMs: number): Promise<void> =>
      hideFor(message, delayMs).catch((thrown) =>
        log.warn({ messageId: message.id, error: messageOf(thrown) }, 'message was not given back'),
      ),
  }
}
