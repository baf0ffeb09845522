import { messageOf, Problem } from '../../../core/errors.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Log } from '../../../ports/log.ts'
import type { Delivery } from '../../../ports/queue.ts'
import type { InvocationContext, SqsBatchResponse, SqsEvent, SqsRecord } from './event.ts'
import { type BodySchema, decode } from './message.ts'
import { redeliveryMs } from './redelivery.ts'

/** A message as its handler gets it. Its `id` is the same in every delivery, also from the dead letter queue. */
type Handed<Body> = Delivery<Body> & { id: string }

/** A message that no handler can make anything of, and why. */
export type Poison = { id: string; reason: string; text: string }

type Needs<Body> = {
  parse: BodySchema<Body>
  /** `remainingMs` says how long the function lives on, so that the handler can stop its work in time. */
  handle: (handed: Handed<Body>, remainingMs: () => number) => Promise<void>
  /** Takes over what is poison. When it rejects, the message comes again, so it must stand a repeat. */
  onPoison: (poison: Poison) => Promise<unknown>
  /** Brings a failed record back sooner than the visibility timeout of its queue would. */
  redeliverIn?: (record: SqsRecord, delayMs: number) => Promise<void>
  /** The function answers so long before it is frozen, also while handlers run. */
  answerBeforeMs?: number
  clock: Pick<Clock, 'after'>
  log: Pick<Log, 'warn' | 'error'>
}

/**
 * A Lambda handler for an SQS event source with `ReportBatchItemFailures`. Records run side by side; those that were
 * not done with, for want of time as well, are reported, so one that fails costs the others nothing. A function that
 * ran out of time without an answer would have all of them delivered again. A message that is not readable, or whose handler
 * throws Problem `missing` (what it names does not exist), is poison: no repetition makes it better.
 */
export const createSqsBatchHandler = <Body>(needs: Needs<Body>) => {
  const { parse, handle, onPoison, redeliverIn, clock, log, answerBeforeMs = 1_000 } = needs

  /** Resolves when the message is done with, and rejects when it must come again. */
  const process = async (
    { messageId: id, body: text }: SqsRecord,
    receives: number,
    remainingMs: () => number,
  ) => {
    const read = decode(text, parse)
    const reason =
      'reason' in read ? read.reason : await reasonOf(handle({ id, body: read.body, receives }, remainingMs))
    if (reason === undefined) return
    await onPoison({ id, reason, text })
    log.warn({ messageId: id, receives, reason }, 'a poison message became a dead letter')
  }

  /** Whether the record is done with. */
  const settle = async (record: SqsRecord, remainingMs: () => number): Promise<boolean> => {
    const receives = Number(record.attributes.ApproximateReceiveCount)
    try {
      await process(record, receives, remainingMs)
      return true
    } catch (thrown) {
      const retryInMs = redeliveryMs(receives)
      log.warn(
        { messageId: record.messageId, receives, retryInMs, error: messageOf(thrown) },
        'a message failed and comes again',
      )
      await redeliverIn?.(record, retryInMs).catch(neverMind(record.messageId))
      return false
    }
  }

  const neverMind = (messageId: string) => (thrown: unknown) =>
    log.warn(
      { messageId, error: messageOf(thrown) },
      'a message comes again at the end of its visibility timeout only',
    )

  return async ({ Records }: SqsEvent, context: InvocationContext): Promise<SqsBatchResponse> => {
    const remainingMs = () => context.getRemainingTimeInMillis()
    const undone = new Set(Records.map(({ messageId }) => messageId))
    const all = Records.map(async (record) => {
      if (await settle(record, remainingMs)) undone.delete(record.messageId)
    })
    const inTime = await within(remainingMs() - answerBeforeMs, Promise.all(all), clock)
    if (!inTime) log.error({ undone: undone.size, of: Records.length }, 'the function ran out of time')
    return { batchItemFailures: Array.from(undone, (itemIdentifier) => ({ itemIdentifier })) }
  }
}

/** Whether the work ended within the time. */
const within = (ms: number, work: Promise<unknown>, clock: Pick<Clock, 'after'>): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const cancel = clock.after(Math.max(0, ms), () => resolve(false))
    work.then(() => resolve(true), reject).finally(cancel)
  })

/** Why a message is poison, if it is. */
const reasonOf = async (handled: Promise<void>): Promise<string | undefined> => {
  try {
    await handled
    return undefined
  } catch (thrown) {
    if (thrown instanceof Problem && thrown.kind === 'missing') return thrown.code
    throw thrown
  }
}
