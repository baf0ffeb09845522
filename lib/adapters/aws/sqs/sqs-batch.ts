import { ChangeMessageVisibilityCommand, type SQSClient } from '@aws-sdk/client-sqs'
import { backoffMs } from '../../../core/backoff.ts'
import { errorMessage, Problem } from '../../../core/errors.ts'
import { retry } from '../../../core/retry.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Log } from '../../../ports/log.ts'
import type { Delivery } from '../../../ports/queue.ts'
import { failRequest } from './batcher.ts'
import { type BodySchema, decode } from './message.ts'

/** The fields of a record that the service reads; Lambda's SQS event source delivers more. */
export type SqsRecord = {
  messageId: string
  receiptHandle: string
  body: string
  attributes: { ApproximateReceiveCount: string; [name: string]: string | undefined }
  messageAttributes: { [name: string]: { dataType: string; stringValue?: string } | undefined }
  eventSourceARN: string
}

export type SqsEvent = { Records: SqsRecord[] }

/** The remaining time of a function, and Lambda's id of the invocation. */
export type InvocationContext = { getRemainingTimeInMillis(): number; awsRequestId?: string }

/** Records to deliver again; all others are deleted (`ReportBatchItemFailures`). */
export type SqsBatchResponse = { batchItemFailures: { itemIdentifier: string }[] }

const FIRST_MS = 1_000
const LONGEST_MS = 300_000

/**
 * The delay of a message that failed after `receives` receives: `firstMs`, twice that, and so on up to five minutes.
 * Functions get no more messages than they can handle, so jitter is not needed.
 */
export const redeliveryMs = (receives: number, firstMs = FIRST_MS): number =>
  backoffMs({ attempt: receives, baseMs: firstMs, type: 'exponential', random: () => 0, maxMs: LONGEST_MS })

type Received = Pick<SqsRecord, 'eventSourceARN' | 'receiptHandle'>

type RedeliveryNeeds = {
  client: SQSClient
  /** The URL of any queue of the account and region; the URLs of others differ in the last part, the name. */
  anyUrl: string
  clock: Pick<Clock, 'after'>
}

/** Makes a failed record come again after `delayMs`. Rejects with Problem `unavailable` when SQS does not answer. */
export const createRedelivery =
  ({ client, anyUrl, clock }: RedeliveryNeeds) =>
  async ({ eventSourceARN, receiptHandle }: Received, delayMs: number): Promise<void> => {
    const request = new ChangeMessageVisibilityCommand({
      QueueUrl: anyUrl.slice(0, anyUrl.lastIndexOf('/') + 1) + eventSourceARN.split(':').at(-1),
      ReceiptHandle: receiptHandle,
      VisibilityTimeout: Math.ceil(delayMs / 1_000),
    })
    await retry(() => client.send(request).catch(failRequest), clock)
  }

/** A message for its handler. Its `id` is the same in every delivery, also from the dead letter queue. */
type Handed<Body> = Delivery<Body> & { id: string }

/** A message that no handler can handle, and the reason. */
export type Poison = { id: string; reason: string; text: string }

type Needs<Body> = {
  parse: BodySchema<Body>
  /** `remainingMs` is the function's remaining time, so that the handler can stop its work before. */
  handle: (handed: Handed<Body>, remainingMs: () => number) => Promise<void>
  /** Stores a poison message. When it rejects, the message comes again, so it must tolerate repeats. */
  onPoison: (poison: Poison) => Promise<unknown>
  /** Makes a failed record come again sooner than its queue's visibility timeout. */
  redeliverIn?: (record: SqsRecord, delayMs: number) => Promise<void>
  /** The function answers this long before its end, even if handlers still run. */
  answerBeforeMs?: number
  /** Runs the work on one message, so that its log lines name message and invocation. */
  within?: <T>(ids: { messageId: string; awsRequestId?: string }, work: () => T) => T
  clock: Pick<Clock, 'after'>
  log: Pick<Log, 'warn' | 'error'>
}

/**
 * A Lambda handler for an SQS event source with `ReportBatchItemFailures`. Records are handled concurrently; failed and
 * unfinished ones are reported, so one failure does not affect the others. Without an answer in time, all would be
 * delivered again. A message is poison when it cannot be read, or when its handler throws Problem `missing` (its subject
 * does not exist): a repeat cannot succeed.
 */
export const createSqsBatchHandler = <Body>(needs: Needs<Body>) => {
  const { parse, handle, onPoison, redeliverIn, clock, log, answerBeforeMs = 1_000 } = needs
  const { within: inInvocation = (_ids, work) => work() } = needs

  /** Resolves when the message is handled, and rejects when it must come again. */
  const process = async (
    { messageId: id, body: text }: SqsRecord,
    receives: number,
    remainingMs: () => number,
  ) => {
    const message = decode(text, parse)
    const reason =
      'reason' in message
        ? message.reason
        : await poisonReason(handle({ id, body: message.body, receives }, remainingMs))
    if (reason === undefined) return
    await onPoison({ id, reason, text })
    log.warn({ messageId: id, receives, reason }, 'a poison message became a dead letter')
  }

  const settle = async (record: SqsRecord, remainingMs: () => number): Promise<boolean> => {
    const receives = Number(record.attributes.ApproximateReceiveCount)
    try {
      await process(record, receives, remainingMs)
      return true
    } catch (thrown) {
      const retryInMs = redeliveryMs(receives)
      log.warn(
        { messageId: record.messageId, receives, retryInMs, error: errorMessage(thrown) },
        'a message failed and comes again',
      )
      await redeliverIn?.(record, retryInMs).catch(neverMind(record.messageId))
      return false
    }
  }

  const neverMind = (messageId: string) => (thrown: unknown) =>
    log.warn(
      { messageId, error: errorMessage(thrown) },
      'a message comes again at the end of its visibility timeout only',
    )

  return async ({ Records }: SqsEvent, context: InvocationContext): Promise<SqsBatchResponse> => {
    const remainingMs = () => context.getRemainingTimeInMillis()
    const { awsRequestId } = context
    const undone = new Set(Records.map(({ messageId }) => messageId))
    const all = Records.map(async (record) => {
      const { messageId } = record
      const ids = awsRequestId === undefined ? { messageId } : { messageId, awsRequestId }
      if (await inInvocation(ids, () => settle(record, remainingMs))) undone.delete(messageId)
    })
    const inTime = await within(remainingMs() - answerBeforeMs, Promise.all(all), clock)
    if (!inTime) log.error({ undone: undone.size, of: Records.length }, 'the function ran out of time')
    return { batchItemFailures: Array.from(undone, (itemIdentifier) => ({ itemIdentifier })) }
  }
}

const within = (ms: number, work: Promise<unknown>, clock: Pick<Clock, 'after'>): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const cancel = clock.after(Math.max(0, ms), () => resolve(false))
    work.then(() => resolve(true), reject).finally(cancel)
  })

/** Why a message is poison; undefined if it is not. */
const poisonReason = async (handled: Promise<void>): Promise<string | undefined> => {
  try {
    await handled
    return undefined
  } catch (thrown) {
    if (thrown instanceof Problem && thrown.kind === 'missing') return thrown.code
    throw thrown
  }
}
