import { type CancellationReason, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb'
import { Problem } from '../../../core/errors.ts'
import { nameOf } from '../failure.ts'
import type { Aside } from './aside.ts'
import type { Bound } from './bound.ts'
import { asProblem, type Connection, isOf } from './connection.ts'
import type { Following } from './followers.ts'
import { rowOf } from './item.ts'
import type { Request, Stamp } from './request.ts'
import type { Prepared, Result, Rows } from './rows.ts'
import type { Fields, Item } from './value.ts'

type Needs = { connection: Connection; rows: Rows; aside: Aside }
/** What became of a transaction, and what is left to be written after it. */
export type Transacted = { result: Result; rest: Following | undefined }

const FAILED = 'ConditionalCheckFailed'
/** Another transaction or write had an item, or there was too much of it: the same may pass in a moment. */
const PASSING: ReadonlySet<string | undefined> = new Set([
  'TransactionConflict',
  'ThrottlingError',
  'ProvisionedThroughputExceeded',
])
const WAITS_MS = [10, 20, 40, 80, 160, 320]
const MOST_TRIES = 20

const contended = () =>
  new Problem('unavailable', 'storage_unavailable', 'Storage is unavailable: too many write the same row.')

const reasonsOf = (thrown: unknown): readonly CancellationReason[] | undefined =>
  nameOf(thrown) === 'TransactionCanceledException'
    ? (thrown as { CancellationReasons?: CancellationReason[] }).CancellationReasons
    : undefined

/** Whether this endpoint knows no transactions, which some emulators do not. */
export const knowsNoTransactions = (thrown: unknown): boolean =>
  nameOf(thrown) === 'UnknownOperationException'

/** A head and its strict followers as one transaction. */
export const createTransact = ({ connection, rows, aside }: Needs) => {
  /** Sends until all that is left applies: a follower whose condition fails is left out. */
  const send = async (
    requests: readonly Request[],
    token: string,
  ): Promise<{ applied: boolean; item?: Item | undefined }> => {
    let left = requests
    for (const ms of [...WAITS_MS, undefined]) {
      const reasons = await cancelled(left)
      if (reasons === undefined) return { applied: true }
      const head = reasons[0]
      if (head?.Code === FAILED) return { applied: isOf(head.Item, token), item: head.Item }
      const standing = left.filter((_, at) => reasons[at]?.Code !== FAILED)
      if (standing.length === left.length) {
        refuseLasting(reasons)
        if (ms !== undefined) await connection.wait(ms)
      }
      left = standing
    }
    throw contended()
  }

  /** Why a transaction was cancelled, by item; undefined when it was not. */
  const cancelled = async (requests: readonly Request[]) => {
    try {
      await connection.client.send(new TransactWriteItemsCommand({ TransactItems: [...requests] }))
      return undefined
    } catch (thrown) {
      const reasons = reasonsOf(thrown)
      if (reasons !== undefined) return reasons
      throw knowsNoTransactions(thrown) ? thrown : asProblem(thrown)
    }
  }

  const prepareHead = async (head: Bound, stamp: Stamp): Promise<Prepared> => {
    const { plan, key, write } = head
    if (!('insert' in write)) return rows.prepare({ plan, key, write }, stamp)
    const request = await rows.requestOf(head, stamp)
    return { request, before: undefined, after: storedBy(request) }
  }

  /** The requests of the strict followers; what cannot be one request is left for later. */
  const requestsOf = async ({ strict, late, ...rest }: Following, stamp: Stamp) => {
    const prepared = await Promise.all(
      strict.map(async (one) => ({ one, request: await rows.requestOf(one, stamp) })),
    )
    const unready = prepared.filter(({ request }) => request === undefined).map(({ one }) => one)
    return {
      requests: prepared.flatMap(({ request }) => request ?? []),
      rest: { ...rest, strict: [], late: [...unready, ...late] },
    }
  }

  const once = async (
    head: Bound,
    follow: (row: Fields) => Promise<Following>,
  ): Promise<Transacted | 'moved'> => {
    const stamp = rows.newStamp()
    const { request, before, after } = await prepareHead(head, stamp)
    if (request === undefined) return { result: { applied: false, row: before }, rest: undefined }
    const row = after ?? (await aside.last(head.plan, before ?? {}, true))
    const { requests, rest } = await requestsOf(await follow(row), stamp)
    const { applied, item } = await send([request, ...requests], stamp.token)
    if (applied) {
      await aside.tidy(before, after)
      return { result: { applied, row }, rest }
    }
    await Promise.all(requests.map((one) => aside.tidy(storedBy(one), undefined)))
    if (!('insert' in head.write)) {
      await aside.tidy(after, before)
      return 'moved'
    }
    const standing =
      item === undefined ? await rows.read(head.plan, head.key) : rows.standing(head.plan, item)
    await aside.tidy(after, standing)
    return { result: { applied, row: standing }, rest: undefined }
  }

  /** `follow` tells what follows from the row that the head leaves; it is asked again when that row was written since. */
  return async (head: Bound, follow: (row: Fields) => Promise<Following>): Promise<Transacted> => {
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const outcome = await once(head, follow)
      if (outcome !== 'moved') return outcome
    }
    throw contended()
  }
}

/** The row that an insert stores. */
const storedBy = (request: Request | undefined): Fields | undefined =>
  request !== undefined && 'Put' in request && request.Put.Item ? rowOf(request.Put.Item) : undefined

/** Throws for a reason that no waiting removes. */
const refuseLasting = (reasons: readonly CancellationReason[]): void => {
  const lasting = reasons.find(({ Code }) => Code !== 'None' && !PASSING.has(Code))
  if (lasting === undefined) return
  const { Code, Message } = lasting
  const name = Code === 'ValidationError' ? 'ValidationException' : String(Code)
  throw asProblem(Object.assign(new Error(Message ?? Code), { name, $metadata: {} }))
}
