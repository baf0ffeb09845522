import { changed, meets } from '../../../core/change.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Insert, Key, Remove, Update, Write } from '../../../ports/store.ts'
import type { BlobOffload } from './blob-offload.ts'
import { type Connection, contended, type Written } from './connection.ts'
import { type Fields, hasExpired, type Item, metadata, rowKey, toRow } from './item.ts'
import type { Logs } from './log.ts'
import { type FindPlan, LOG, type Plan } from './plan.ts'
import {
  fieldEffects,
  insertRequest,
  type Request,
  removeRequest,
  replaceRequest,
  type Stamp,
  updateRequest,
} from './request.ts'

/** A write of a row, with its table and key. */
export type Bound<W = Write<Fields>> = { plan: Plan; key: Key; write: W }

/** Throws TypeError for an insert without a valid key. */
export const bind = (findPlan: FindPlan, write: Write<Fields>): Bound => {
  if ('insert' in write) {
    const plan = findPlan(write.insert)
    return { plan, key: rowKey(plan, write.row), write }
  }
  return { plan: findPlan('update' in write ? write.update : write.remove), key: write.key, write }
}

type Needs = { connection: Connection; blobs: BlobOffload; logs: Logs; clock: Clock; newToken: () => string }

/** The port's outcome, with all fields of the row; offloaded ones as pointers. */
type Result = { applied: boolean; row: Fields | undefined }
/** A write, or no request when `before` fails the condition; `isRead` when the request depends on a read. */
export type Prepared = {
  request: Request | undefined
  before: Fields | undefined
  after: Fields | undefined
  isRead: boolean
}

const MOST_TRIES = 20

/** Reads and writes rows of any collection, one at a time. */
export const createRows = ({ connection, blobs, logs, clock, newToken }: Needs) => {
  /** The row of an item, unless it has expired. */
  const unexpiredRow = (plan: Plan, item: Item | undefined): Fields | undefined => {
    const row = item === undefined ? undefined : toRow(item)
    return row === undefined || hasExpired(plan, row, clock.now()) ? undefined : row
  }

  const read = async (plan: Plan, key: Key) => unexpiredRow(plan, await connection.get(plan, key))

  /** Every write has its own stamp; those of one transaction share the token. */
  const newStamp = ({ plan, write }: Bound, token = newToken()): Stamp => ({
    token,
    now: clock.now(),
    log: 'remove' in write ? [] : logs.entryTexts(plan, write.log),
  })

  const send = async ({ plan, key }: Bound, request: Request, { token, log }: Stamp, before = false) => {
    const [entry] = log
    const isProof = (item: Item, isRepeated: boolean) =>
      entry !== undefined && logs.has(plan, key, item, entry, isRepeated)
    const written = await connection.write({ request, token, before, isProof })
    if (written.applied && log.length > 0 && written.state !== 'now') {
      const own = 'Put' in request ? request.Put.Item?.[LOG] : logLeft(written, log)
      await logs.settle(plan, key, token, own)
    }
    return written
  }

  const insert = async (bound: Bound<Insert<Fields>>): Promise<Result> => {
    const { plan, key, write } = bound
    const stamp = newStamp(bound)
    const row = await blobs.putRow(plan, key, write.row)
    const { applied, item, state } = await send(bound, insertRequest(plan, row, stamp), stamp)
    // The item that failed the condition may be this row, changed by another write before the SDK's repeat.
    if (!applied) await blobs.tidy(row, item && toRow(item))
    else if (state !== 'now') await blobs.tidy(item && toRow(item), row)
    return { applied, row: applied ? write.row : unexpiredRow(plan, item) }
  }

  /** Whether a condition or change names a field that may be offloaded, so that the stored row is needed. */
  const mayBeOffloaded = ({ detail, long }: Plan, fields: Iterable<string>) =>
    blobs.active && [...fields].some((field) => detail.has(field) || long.has(field))

  /** A change with its large values in blobs. */
  const offloaded = async (plan: Plan, key: Key, write: Update<Fields>): Promise<Update<Fields>> => ({
    ...write,
    ...(write.set && { set: await blobs.put(plan, key, write.set) }),
  })

  const update = async (bound: Bound<Update<Fields>>): Promise<Result> => {
    const { plan, key, write } = bound
    const stamp = newStamp(bound)
    const stored = await offloaded(plan, key, write)
    const request = updateRequest(plan, stored, stamp)
    if (request === undefined || mayBeOffloaded(plan, Object.keys(write.when ?? {})))
      return replace({ plan, key, write: stored })
    const before = mayBeOffloaded(plan, fieldEffects(write).keys())
    const { applied, item, state } = await send(bound, request, stamp, before)
    const row = toRow(item ?? {})
    if (!applied) {
      await blobs.tidy(stored.set, row)
      return { applied, row: unexpiredRow(plan, item) }
    }
    if (state !== 'before') return { applied, row }
    await blobs.tidy(row, changed(row, stored))
    return { applied, row: changed(row, write) }
  }

  const remove = async (bound: Bound<Remove<Fields>>): Promise<Result> => {
    const { plan, write } = bound
    const stamp = newStamp(bound)
    const request = removeRequest(plan, write, stamp)
    if (!request || mayBeOffloaded(plan, Object.keys(write.when ?? {}))) return replace(bound)
    const { applied, item } = await send(bound, request, stamp)
    const row = unexpiredRow(plan, item)
    if (!applied || row === undefined) return { applied, row }
    const last = await blobs.last(plan, row, true)
    await blobs.tidy(row, undefined)
    return { applied, row: last }
  }

  /**
   * The row with the offloaded values that its condition names; `changed` when the stored row is another one by now. A lost
   * value stays a pointer, which meets no condition.
   */
  const conditioned = async (
    { plan, key, write: { when = {} } }: Bound<Update<Fields> | Remove<Fields>>,
    before: Fields,
  ): Promise<Fields | 'changed'> => {
    const conditions = Object.keys(when)
    if (!mayBeOffloaded(plan, conditions)) return before
    const { row, missing } = await blobs.filled(plan, before, true)
    if (!missing.some(([field]) => conditions.includes(field))) return row
    const again = await read(plan, key)
    return blobs.hasPointers(again, missing) ? row : 'changed'
  }

  /** Prepares a change from the stored row, on condition that the row is unchanged. */
  const prepare = async (
    { plan, key, write }: Bound<Update<Fields> | Remove<Fields>>,
    stamp: Stamp,
  ): Promise<Prepared> => {
    const item = await connection.get(plan, key)
    const before = unexpiredRow(plan, item)
    const none = { request: undefined, before, after: undefined, isRead: true }
    if (item === undefined || before === undefined) return none
    const row = await conditioned({ plan, key, write }, before)
    if (row === 'changed') return prepare({ plan, key, write }, stamp)
    if (!meets(row, write.when)) return none
    const after = 'remove' in write ? undefined : changed(before, await offloaded(plan, key, write))
    return { request: replaceRequest(plan, key, metadata(item), after, stamp), before, after, isRead: true }
  }

  /** A change that depends on stored values: reads, computes, writes if the row is unchanged, and repeats otherwise. */
  const replace = async (bound: Bound<Update<Fields> | Remove<Fields>>): Promise<Result> => {
    const { plan } = bound
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const stamp = newStamp(bound)
      const { request, before, after } = await prepare(bound, stamp)
      if (request === undefined) return { applied: false, row: before }
      const { applied } = await send(bound, request, stamp)
      if (!applied) continue
      const row = after ?? (before && (await blobs.last(plan, before, true)))
      await blobs.tidy(before, after)
      return { applied, row }
    }
    throw contended()
  }

  const write = ({ plan, key, write }: Bound): Promise<Result> => {
    if ('insert' in write) return insert({ plan, key, write })
    return 'update' in write ? update({ plan, key, write }) : remove({ plan, key, write })
  }

  /** Whether the row before a change or removal may have blobs that are no longer needed. */
  const hasBlobs = (plan: Plan, write: Update<Fields> | Remove<Fields>) =>
    'remove' in write
      ? mayBeOffloaded(plan, [...plan.detail, ...plan.long])
      : mayBeOffloaded(plan, [...fieldEffects(write).keys(), ...Object.keys(write.when ?? {})])

  /** A write for a transaction. With `exactly` the row is read first, so that the resulting row is known. */
  const prepared = async (bound: Bound, stamp: Stamp, exactly: boolean): Promise<Prepared> => {
    const { plan, key, write } = bound
    if ('insert' in write) {
      const after = await blobs.putRow(plan, key, write.row)
      return { request: insertRequest(plan, after, stamp), before: undefined, after, isRead: false }
    }
    const request = 'update' in write ? updateRequest(plan, write, stamp) : removeRequest(plan, write, stamp)
    if (exactly || request === undefined || hasBlobs(plan, write)) return prepare({ plan, key, write }, stamp)
    return { request, before: undefined, after: undefined, isRead: false }
  }

  /** Whether a write would apply to the stored row. */
  const wouldApply = async ({ plan, key, write }: Bound): Promise<boolean> => {
    const row = await blobs.readComplete(plan, () => read(plan, key), true)
    return 'insert' in write ? row === undefined : row !== undefined && meets(row, write.when)
  }

  /** Throws TypeError for a write that cannot be sent. */
  const check = (bound: Bound): void => {
    const { plan, write } = bound
    const stamp = newStamp(bound, '')
    if ('insert' in write) insertRequest(plan, write.row, stamp)
    else if ('update' in write) updateRequest(plan, write, stamp)
    else removeRequest(plan, write, stamp)
  }

  return { newToken, newStamp, read, unexpiredRow, write, prepared, wouldApply, check }
}
export type Rows = ReturnType<typeof createRows>

/** The log of a row after an update that appended to it. */
const logLeft = ({ item = {}, state }: Written, appended: readonly string[]): readonly string[] => {
  const { log } = metadata(item)
  return state === 'before' ? [...log, ...appended] : log
}
