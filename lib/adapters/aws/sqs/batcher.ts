import type { BatchResultErrorEntry } from '@aws-sdk/client-sqs'
import { Problem } from '../../../core/errors.ts'
import { retry } from '../../../core/retry.ts'
import type { Clock } from '../../../ports/clock.ts'
import { asUnavailable } from '../failure.ts'

const CODE = 'queue_unavailable'

/** Throws the port's error for a failed request. */
export const failRequest = (thrown: unknown): never => {
  throw asUnavailable(thrown, CODE, 'The queue')
}

const refusedEntry = (why = 'InternalError'): Problem =>
  new Problem('unavailable', CODE, `The queue is unavailable: ${why}.`)

/**
 * The limits of one request:
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html
 */
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
  entryBytes: (entry: Entry) => number
  /** The most concurrent requests; entries that come meanwhile share the next one. */
  mostInFlight: number
  clock: Pick<Clock, 'after'>
}

/** Resolves when SQS has accepted the entry; rejects with Problem `unavailable`, or the error of the entry. */
export type Batcher<Entry> = { add(entry: Entry): Promise<void> }

/** Sends the entries of one turn of the event loop in as few requests as SQS allows. */
export const createBatcher = <Entry extends object>(needs: Needs<Entry>): Batcher<Entry> => {
  const { request, entryBytes, mostInFlight, clock } = needs
  const waiting: Waiting<Entry>[] = []
  let inFlight = 0
  let scheduled = false

  const wake = () => {
    if (scheduled) return
    scheduled = true
    setImmediate(() => {
      scheduled = false
      while (waiting.length > 0 && inFlight < mostInFlight) void deliver(takeBatch(waiting))
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
    if (waiting.length > 0) wake()
  }

  return {
    add: (entry) =>
      new Promise((resolve, reject) => {
        waiting.push({ entry, bytes: entryBytes(entry), resolve, reject })
        wake()
      }),
  }
}

/** The first entries that fit one request; always at least one. */
const takeBatch = <Entry>(waiting: Waiting<Entry>[]): Waiting<Entry>[] => {
  let bytes = 0
  let count = 0
  for (const one of waiting) {
    bytes += one.bytes
    if (count === MOST_ENTRIES || (bytes > MOST_BYTES && count > 0)) break
    count += 1
  }
  return waiting.splice(0, count)
}

/** One request for up to ten entries; `Failed` names the refused ones. */
type BatchRequest<Entry> = (
  entries: (Entry & { Id: string })[],
) => Promise<{ Failed?: readonly BatchResultErrorEntry[] | undefined }>

/**
 * Sends entries in one request, and the refused ones in up to three more. Resolves to the error of each entry in order,
 * undefined for accepted ones. Errors that SQS attributes to the sender are not retried.
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
  // All entries were accepted when this resolves.
  await retry(attempt, timer).catch((failure) => {
    for (const { Id } of left) failures.set(Id, failure)
  })
  return entries.map((_, n) => failures.get(String(n)))
}
