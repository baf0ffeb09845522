import type { CancellationReason } from '@aws-sdk/client-dynamodb'
import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb'
import { createKeyedMutex } from '../../../core/keyed-mutex.ts'
import type { AnyWrite, Outcome, Write } from '../../../ports/store.ts'
import { errorName } from '../failure.ts'
import type { BlobOffload } from './blob-offload.ts'
import { asProblem, type Connection, contended, plainItem } from './connection.ts'
import { type Fields, type Item, identity, metadata, visibleRow } from './item.ts'
import type { Logs } from './log.ts'
import { type FindPlan, LOG } from './plan.ts'
import type { Request } from './request.ts'
import { type Bound, bind, type Prepared, type Rows } from './rows.ts'

type Needs = { connection: Connection; findPlan: FindPlan; rows: Rows; blobs: BlobOffload; logs: Logs }

/** The outcome of a commit; `refused` is the index of the first write whose condition failed. */
type Committed = { row: Fields | undefined; refused?: number }

/** DynamoDB's limit of a transaction. */
const MOST_WRITES = 100
const FAILED = 'ConditionalCheckFailed'
/** Temporary errors: another transaction or write holds an item, or the throughput is exceeded. */
const PASSING: ReadonlySet<string | undefined> = new Set([
  'TransactionConflict',
  'ThrottlingError',
  'ProvisionedThroughputExceeded',
])
const WAITS_MS = [10, 20, 40, 80, 160, 320]
const MOST_TRIES = 20

const cancellationReasons = (thrown: unknown): readonly CancellationReason[] | undefined =>
  errorName(thrown) === 'TransactionCanceledException'
    ? (thrown as { CancellationReasons?: CancellationReason[] }).CancellationReasons
    : undefined

const refuseLasting = (reasons: readonly CancellationReason[]): void => {
  const lasting = reasons.find(({ Code }) => Code !== 'None' && !PASSING.has(Code))
  if (lasting === undefined) return
  const { Code, Message } = lasting
  const name = Code === 'ValidationError' ? 'ValidationException' : String(Code)
  throw asProblem(Object.assign(new Error(Message ?? Code), { name, $metadata: {} }))
}

/** A single write is one conditional request. With rows it is one transaction, all or none. */
export const createCommit = ({ connection, findPlan, rows, blobs, logs }: Needs) => {
  const inOrder = createKeyedMutex()

  const sendOnce = async (TransactItems: Request[]): Promise<readonly CancellationReason[] | undefined> => {
    try {
      await connection.client.send(new TransactWriteCommand({ TransactItems }))
      return undefined
    } catch (thrown) {
      const reasons = cancellationReasons(thrown)
      if (reasons === undefined) throw asProblem(thrown)
      return reasons
    }
  }

  /** The reasons of a cancelled transaction by write; undefined for a successful one. */
  const send = async (prepared: readonly Prepared[]) => {
    const requests = prepared.flatMap(({ request }) => request ?? [])
    for (const ms of [...WAITS_MS, undefined]) {
      const reasons = await sendOnce(requests)
      if (reasons === undefined || reasons.some(({ Code }) => Code === FAILED)) return reasons
      refuseLasting(reasons)
      if (ms !== undefined) await connection.wait(ms)
    }
    throw contended()
  }

  /** Removes the blobs of writes that failed, or that the writes replaced. */
  const tidy = async (prepared: readonly Prepared[], isApplied: boolean) => {
    for (const { before, after } of prepared)
      await (isApplied ? blobs.tidy(before, after) : blobs.tidy(after, before))
  }

  /** The index of the first write that does not apply; `refused` is one that does not. */
  const firstRefused = async (bounds: readonly Bound[], refused: number): Promise<number> => {
    for (const [at, bound] of bounds.slice(0, refused).entries())
      if (!(await rows.wouldApply(bound))) return at
    return refused
  }

  const prepareAll = async (bounds: readonly Bound[], token: string): Promise<Prepared[]> => {
    const all = bounds.map((bound, at) => rows.prepared(bound, rows.newStamp(bound, token), at === 0))
    const done = await Promise.allSettled(all)
    const failed = done.find(({ status }) => status === 'rejected')
    const prepared = done.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
    if (failed?.status !== 'rejected') return prepared
    await tidy(prepared, false)
    throw failed.reason
  }

  /** Spills the head's log when it is too large. The logs of other rows wait for their next write. */
  const settleLog = async ({ plan, key }: Bound, request: Prepared['request'], token: string) => {
    const log = request !== undefined && 'Put' in request ? request.Put.Item?.[LOG] : undefined
    if (log !== undefined) await logs.settle(plan, key, token, log)
  }

  const once = async (bounds: readonly Bound[], head: Bound): Promise<Committed | 'moved'> => {
    const token = rows.newToken()
    const prepared = await prepareAll(bounds, token)
    const unmet = prepared.findIndex(({ request }) => request === undefined)
    if (unmet === -1) return transact(head, prepared, token)
    await tidy(prepared, false)
    const refused = await firstRefused(bounds, unmet)
    return { refused, row: refused === 0 ? await rows.read(head.plan, head.key) : undefined }
  }

  const transact = async (
    head: Bound,
    prepared: readonly Prepared[],
    token: string,
  ): Promise<Committed | 'moved'> => {
    const [first] = prepared
    // A removal's row is read while it exists.
    const finalRow = first?.after ?? (await blobs.last(head.plan, first?.before ?? {}, true))
    const reasons = await send(prepared)
    const stored = itemIn(reasons?.[0])
    const isApplied = reasons === undefined || (stored !== undefined && metadata(stored).token === token)
    await tidy(prepared, isApplied)
    if (isApplied) {
      await settleLog(head, first?.request, token)
      return { row: 'insert' in head.write ? head.write.row : finalRow }
    }
    const refused = reasons.findIndex(({ Code }) => Code === FAILED)
    if (prepared[refused]?.isRead) return 'moved'
    return { refused, row: refused === 0 ? rows.unexpiredRow(head.plan, stored) : undefined }
  }

  const together = async (bounds: readonly Bound[], head: Bound): Promise<Committed> => {
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const committed = await once(bounds, head)
      if (committed !== 'moved') return committed
      await connection.wait(WAITS_MS[Math.min(tries, 2)] ?? 0)
    }
    throw contended()
  }

  const alone = async (bound: Bound): Promise<Committed> => {
    const { applied, row } = await rows.write(bound)
    return applied ? { row } : { row, refused: 0 }
  }

  /** Throws TypeError for a commit that cannot be one request. */
  const check = (bounds: readonly Bound[]): void => {
    if (bounds.length > MOST_WRITES) throw new TypeError(`A commit has at most ${MOST_WRITES} writes`)
    if (new Set(bounds.map(({ plan, key }) => identity(plan, key))).size < bounds.length)
      throw new TypeError('A commit writes no row twice')
    for (const bound of bounds) rows.check(bound)
  }

  return async (
    headWrite: Write<Fields>,
    others: readonly AnyWrite[] = [],
    detail = false,
  ): Promise<Outcome<Fields>> => {
    const head = bind(findPlan, headWrite)
    const { plan, key } = head
    const bounds = [head, ...others.map((one) => bind(findPlan, one))]
    if (others.length > 0) check(bounds)
    const { row, refused } = await inOrder(identity(plan, key), () =>
      bounds.length === 1 ? alone(head) : together(bounds, head),
    )
    const visible = row && visibleRow(plan, await blobs.last(plan, row, detail), detail)
    return refused === undefined ? { applied: true, row: visible } : { applied: false, row: visible, refused }
  }
}

/** The item that failed a write's condition in a transaction, if known. */
const itemIn = (reason: CancellationReason | undefined): Item | undefined =>
  reason?.Item === undefined ? undefined : plainItem(reason.Item)
