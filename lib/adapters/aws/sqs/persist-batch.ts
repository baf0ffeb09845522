import type { BatchResultErrorEntry } from '@aws-sdk/client-sqs'
import { retry } from '../../../core/retry.ts'
import type { Clock } from '../../../ports/clock.ts'
import { failRequest, refusedEntry } from './failure.ts'

/** One request for up to ten entries; `Failed` names those that SQS did not take. */
export type BatchRequest<Entry> = (
  entries: (Entry & { Id: string })[],
) => Promise<{ Failed?: readonly BatchResultErrorEntry[] | undefined }>

/**
 * Sends entries in one request, and those that were not taken in three more at most. Answers the failure of each entry,
 * in their order, and undefined for those that SQS took. What SQS calls the sender's fault is not repeated.
 */
export const persistBatch = async <Entry extends object>(
  entries: readonly Entry[],
  request: BatchRequest<Entry>,
  timer: Pick<Clock, 'after'>,
): Promise<unknown[]> => {
  const failures = new Map<string, unknown>()
  let left = entries.map((entry, n) => ({ ...entry, Id: String(n) }))
  const attempt = async () => {
    const { Failed = [] } = await request(left).catch(failRequest)
    const again = new Map<string | undefined, string | undefined>()
    for (const { Id = '', Code, SenderFault } of Failed)
      if (SenderFault) failures.set(Id, refusedEntry(Code))
      else again.set(Id, Code)
    left = left.filter(({ Id }) => again.has(Id))
    if (left.length > 0) throw refusedEntry(again.get(left[0]?.Id))
  }
  // Nothing is left when this resolves.
  await retry(attempt, timer).catch((failure) => {
    for (const { Id } of left) failures.set(Id, failure)
  })
  return entries.map((_, n) => failures.get(String(n)))
}
