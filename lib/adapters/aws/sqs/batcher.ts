import type { BatchResultErrorEntry } from '@aws-sdk/client-sqs'
import { Problem } from '../../../core/errors.ts'
import { createFifo } from '../../../core/fifo.ts'
import { retry } from '../../../core/retry.ts'
import type { Clock } from '../../../ports/clock.ts'
import { asUnavailable } from '../failure.ts'

const CODE = 'queue_unavailable'

/** Throws what ended a request as the port promises it. */
export const failRequest = (thrown: unknown): never => {
  throw asUnavailable(thrown, CODE, 'The queue')
}

/** The failure of one entry of a batch, by the code that SQS gave it. */
const refusedEntry = (why = 'InternalError'): Problem =>
  new Problem('unavailable', CODE, `The queue is unavailable: ${why}.`)

/** What one request may carry: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html */
const MOST_ENTRIES = 10
export const MOST_BYTES = 1_048_576

type Waiting<Entry> = {
  entry: Entry
  bytes: number
  resolve: () => void
  reject: (failure: unknown) => void
}

type Needs<Entry> = {
  request: BatchRequest<Entry>
  bytesOf: (entry: Entry) => number
  /** Requests that may be under way at once; what comes meanwhile gathers, and shares the next. */
  mostInFlight: number
  clock: Pick<Clock, 'after'>
}

/** Resolves when SQS took the entry. Rejects with Problem `unavailable` when it could not, or with what was wrong with it. */
export type Batcher<Entry> = { add(entry: Entry): Promise<void> }

/** Gathers what is added in one turn of the event loop into as few requests as SQS allows. */
export const createBatcher = <Entry extends object>(needs: Needs<Entry>): Batcher<Entry> => {
  const { request, bytesOf, mostInFlight, clock } = needs
  const waiting = createFifo<Waiting<Entry>>()
  let inFlight = 0
  let scheduled = false

  const wake = () => {
    if (scheduled) return
    scheduled = true
    setImmediate(() => {
      scheduled = false
      while (waiting.size > 0 && inFlight < mostInFlight) void deliver(takeBatch(waiting))
    })
  }

  const deliver = async (batch: readonly Waiting<Entry>[]) => {
    inFlight += 1
    const entries = batch.map(({ entry }) => entry)
    const failures = await persistBatch(entries, request, clock)
    inFlight -= 1
    for (const [n, { resolve, reject }] of batch.entries()) {
      const failure = failures[n]
      if (failure !== undefined) reject(failure)
      else resolve()
    }
    if (waiting.size > 0) wake()
  }

  return {
    add: (entry) =>
      new Promise((resolve, reject) => {
        waiting.push({ entry, bytes: bytesOf(entry), resolve, reject })
        wake()
      }),
  }
}

/** The first entries that fit one request; always at least one. */
const takeBatch = <Entry>(waiting: { peek(): Waiting<Entry> | undefined; shift(): unknown }) => {
  const batch: Waiting<Entry>[] = []
  let bytes = 0
  for (let next = waiting.peek(); next && batch.length < MOST_ENTRIES; next = waiting.peek()) {
    bytes += next.bytes
    if (bytes > MOST_BYTES && batch.length > 0) break
    waiting.shift()
    batch.push(next)
  }
  return batch
}

/** One request for up to ten entries; `Failed` names those that SQS did not take. */
type BatchRequest<Entry> = (
  entries: (Entry & { Id: string })[],
) => Promise<{ Failed?: readonly BatchResultErrorEntry[] | undefined }>

/**
 * Sends entries in one request, and those that were not taken in three more at most. Answers the failure of each entry,
 * in their order, and undefined for those that SQS took. What SQS calls the sender's fault is not repeated.
 */
const persistBatch = async <Entry extends object>(
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
