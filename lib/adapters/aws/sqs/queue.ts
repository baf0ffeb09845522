import { createHash } from 'node:crypto'
import {
  SendMessageBatchCommand,
  type SendMessageBatchRequestEntry,
  type SQSClient,
} from '@aws-sdk/client-sqs'
import type { Clock } from '../../../ports/clock.ts'
import type { Outgoing, Queue } from '../../../ports/queue.ts'
import { type Batcher, createBatcher, MOST_BYTES } from './batcher.ts'
import { encode } from './message.ts'

/** The queues behind one port. Priority 1 goes to `urgent`, if it exists; all others share `normal`. */
export type QueueUrls = { normal: string; urgent?: string }

type Needs = { client: SQSClient; urls: QueueUrls; clock: Pick<Clock, 'after'> }
type Entry = Omit<SendMessageBatchRequestEntry, 'Id'> & { MessageBody: string }

const LONGEST_DELAY_MS = 900_000
const MOST_REQUESTS = 16

/**
 * The sending side of SQS standard queues. Priority 1 has its own queue, which consumers serve first. Priorities 2 to 4
 * share one queue without order: SQS has none, and more queues would make every idle consumer poll more. `group` becomes
 * the `MessageGroupId` by which SQS keeps the backlog of one group from delaying others (fair queues). Calls of one turn
 * share their requests. Rejects with TypeError, and sends nothing, when a message is longer than 1 MiB or delayed beyond
 * `longestDelayMs`.
 */
export const createSqsQueue = <Body>({ client, urls, clock }: Needs): Queue<Body> => {
  const senderTo = (url: string): Batcher<Entry> =>
    createBatcher<Entry>({
      request: (Entries) => client.send(new SendMessageBatchCommand({ QueueUrl: url, Entries })),
      entryBytes: ({ MessageBody }) => MessageBody.length,
      mostInFlight: MOST_REQUESTS,
      clock,
    })
  const normal = senderTo(urls.normal)
  const urgent = urls.urgent === undefined ? normal : senderTo(urls.urgent)

  return {
    longestDelayMs: LONGEST_DELAY_MS,
    async send(messages) {
      const entries = messages.map((message) => ({ entry: batchEntry(message), message }))
      const sent = entries.map(({ entry, message }) => (message.priority === 1 ? urgent : normal).add(entry))
      // All sends have ended before the call resolves, so nothing continues in a frozen function.
      const failed = (await Promise.allSettled(sent)).find(({ status }) => status === 'rejected')
      if (failed?.status === 'rejected') throw failed.reason
    },
  }
}

const batchEntry = (message: Outgoing<unknown>): Entry => {
  const { delayMs = 0, group } = message
  if (!(delayMs >= 0 && delayMs <= LONGEST_DELAY_MS))
    throw new TypeError(`SQS delays a message by 0 to ${LONGEST_DELAY_MS} ms, not by ${delayMs}`)
  const text = encode(message)
  if (text.length > MOST_BYTES) throw new TypeError(`SQS takes no message of ${text.length} bytes`)
  return {
    MessageBody: text,
    ...(delayMs > 0 ? { DelaySeconds: Math.ceil(delayMs / 1_000) } : {}),
    ...(group === undefined ? {} : { MessageGroupId: messageGroupId(group) }),
  }
}

/** SQS accepts up to 128 ASCII letters, digits and punctuation marks, without spaces. */
const ALLOWED = /^[\x21-\x7e]{1,128}$/

/** The `MessageGroupId` of a group: the group if SQS accepts it, else its hash. */
export const messageGroupId = (group: string): string =>
  ALLOWED.test(group) ? group : `sha256-${createHash('sha256').update(group).digest('base64url')}`
