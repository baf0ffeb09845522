import { messageOf } from '../../../core/errors.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Log } from '../../../ports/log.ts'
import type { InvocationContext, SqsBatchResponse, SqsEvent, SqsRecord } from './event.ts'
import { createIntake, type Handed, type IntakeNeeds } from './intake.ts'
import { redeliveryMs } from './redelivery.ts'

type Needs<Body> = IntakeNeeds<Body> & {
  /** `remainingMs` says how long the function lives on, so that the handler can stop its work in time. */
  handle: (handed: Handed<Body>, remainingMs: () => number) => Promise<void>
  /** Brings a failed record back sooner than the visibility timeout of its queue would. */
  redeliverIn?: (record: SqsRecord, delayMs: number) => Promise<void>
  /** The function answers so long before it is frozen, whatever still runs. */
  answerBeforeMs?: number
  clock: Pick<Clock, 'after'>
  log: Pick<Log, 'warn' | 'error'>
}

/**
 * A Lambda handler for an SQS event source with `ReportBatchItemFailures`. Records run side by side; those that were
 * not done with, for want of time as well, are reported, so one that fails costs the others nothing. A function that
 * ran out of time without an answer would have all of them delivered again.
 */
export const createSqsBatchHandler = <Body>(needs: Needs<Body>) => {
  const { handle, redeliverIn, clock, log, answerBeforeMs = 1_000 } = needs
  const intake = createIntake(needs)

  /** Whether the record is done with. */
  const settle = async (record: SqsRecord, remainingMs: () => number): Promise<boolean> => {
    const receives = Number(record.attributes.ApproximateReceiveCount)
    const message = { id: record.messageId, text: record.body, receives }
    try {
      await intake(message, (handed) => handle(handed, remainingMs))
      return true
    } catch (thrown) {
      const retryInMs = redeliveryMs(receives)
      log.warn(
        { messageId: record.messageId, receives, retryInMs, error: messageOf(thrown) },
        'message failed, comes again',
      )
      await redeliverIn?.(record, retryInMs).catch(neverMind(record.messageId))
      return false
    }
  }

  const neverMind = (messageId: string) => (thrown: unknown) =>
    log.warn(
      { messageId, error: messageOf(thrown) },
      'message comes again at the end of its visibility timeout',
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
