import { changed, meets } from '../../../core/change.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Insert, Key, Remove, Update } from '../../../ports/store.ts'
import type { Aside } from './aside.ts'
import type { Bound } from './bound.ts'
import { type Connection, isOf, uncertain } from './connection.ts'
import { rowOf } from './item.ts'
import { type Plan, TOKEN } from './plan.ts'
import {
  insertRequest,
  type Request,
  removeRequest,
  replaceRequest,
  type Stamp,
  updateRequest,
} from './request.ts'
import { effectsOf, hasExpired } from './row.ts'
import type { Fields, Item } from './value.ts'

type Needs = { connection: Connection; aside: Aside; clock: Clock; newToken: () => string }

/** As the port's outcome, the row with all its fields; large ones as pointers. */
export type Result = { applied: boolean; row: Fields | undefined }
/** A write that was thought through on the row as it was: its request, or none when that row stands in the way. */
export type Prepared = {
  request: Request | undefined
  before: Fields | undefined
  after: Fields | undefined
}

const MOST_TRIES = 20

/** Rows of any collection, one at a time. */
export const createRows = ({ connection, aside, clock, newToken }: Needs) => {
  const newStamp = (): Stamp => ({ token: newToken(), now: clock.now() })
  /** The row of an item, unless that counts as absent. */
  const standing = (plan: Plan, item: Item | undefined): Fields | undefined => {
    const row = item === undefined ? undefined : rowOf(item)
    return row === undefined || hasExpired(plan, row, clock.now()) ? undefined : row
  }

  const read = async (plan: Plan, key: Key) => standing(plan, await connection.get(plan, key))

  const insert = async ({ plan, key, write }: Bound<Insert<Fields>>): Promise<Result> => {
    const stamp = newStamp()
    const row = await aside.putRow(plan, key, write.row)
    const request = insertRequest(plan, row, stamp)
    const { applied, item } = await connection.write({ request, plan, key, token: stamp.token })
    // What stands in the way may be this very row, changed by somebody before the SDK repeated a write that had worked.
    await (applied ? aside.tidy(item && rowOf(item), row) : aside.tidy(row, item && rowOf(item)))
    return { applied, row: applied ? write.row : standing(plan, item) }
  }

  /** Whether a condition or a change names a field that may lie aside, so that the row before must be known. */
  const mayBeAside = ({ heavy, long }: Plan, fields: Iterable<string>) =>
    aside.active && [...fields].some((field) => heavy.has(field) || long.has(field))

  /** A change whose large values lie aside. */
  const putAside = async (plan: Plan, key: Key, write: Update<Fields>): Promise<Update<Fields>> => ({
    ...write,
    ...(write.set && { set: await aside.put(plan, key, write.set) }),
  })

  const update = async ({ plan, key, write }: Bound<Update<Fields>>): Promise<Result> => {
    const stamp = newStamp()
    const whole = await putAside(plan, key, write)
    const request = updateRequest(plan, whole, stamp)
    if (request === undefined || mayBeAside(plan, Object.keys(write.when ?? {})))
      return replace({ plan, key, write: whole })
    const before = mayBeAside(plan, effectsOf(write).keys())
    const { applied, item } = await connection.write({ request, plan, key, token: stamp.token, before })
    const row = rowOf(item ?? {})
    if (!applied) {
      await aside.tidy(whole.set, row)
      return { applied, row: standing(plan, item) }
    }
    if (isOf(item, stamp.token)) return { applied, row }
    await aside.tidy(row, changed(row, whole))
    return { applied, row: changed(row, write) }
  }

  const remove = async ({ plan, key, write }: Bound<Remove<Fields>>): Promise<Result> => {
    const stamp = newStamp()
    const request = removeRequest(plan, write, stamp)
    if (!request || mayBeAside(plan, Object.keys(write.when ?? {}))) return replace({ plan, key, write })
    const { applied, item } = await connection.write({ request, plan, key, token: stamp.token })
    const row = standing(plan, item)
    if (!applied || row === undefined) return { applied, row }
    const last = await aside.last(plan, row, true)
    await aside.tidy(row, undefined)
    return { applied, row: last }
  }

  /** Thinks a change through on the row as it is now, on the condition that nobody writes it before. */
  const prepare = async (
    { plan, key, write }: Bound<Update<Fields> | Remove<Fields>>,
    stamp: Stamp,
  ): Promise<Prepared> => {
    const item = await connection.get(plan, key)
    const before = standing(plan, item)
    const none = { request: undefined, before, after: undefined }
    if (item === undefined || before === undefined) return none
    const known = mayBeAside(plan, Object.keys(write.when ?? {}))
      ? await aside.filled(plan, before, true)
      : before
    if (known === undefined) throw uncertain()
    if (!meets(known, write.when)) return none
    const after = 'remove' in write ? undefined : changed(before, await putAside(plan, key, write))
    const seen = item[TOKEN]?.S ?? ''
    return { request: replaceRequest(plan, { key, seen }, after, stamp), before, after }
  }

  /** A change that depends on what is stored: read, think, write unless somebody else did, from the start. */
  const replace = async (bound: Bound<Update<Fields> | Remove<Fields>>): Promise<Result> => {
    const { plan, key } = bound
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const stamp = newStamp()
      const { request, before, after } = await prepare(bound, stamp)
      if (request === undefined) return { applied: false, row: before }
      const { applied } = await connection.write({ request, plan, key, token: stamp.token })
      if (!applied) continue
      const row = after ?? (before && (await aside.last(plan, before, true)))
      await aside.tidy(before, after)
      return { applied, row }
    }
    throw uncertain()
  }

  const write = ({ plan, key, write }: Bound): Promise<Result> => {
    if ('insert' in write) return insert({ plan, key, write })
    return 'update' in write ? update({ plan, key, write }) : remove({ plan, key, write })
  }

  /** A write as one of a transaction: one native request, or undefined where the row must be read before. */
  const requestOf = async ({ plan, key, write }: Bound, stamp: Stamp): Promise<Request | undefined> => {
    if ('insert' in write) return insertRequest(plan, await aside.putRow(plan, key, write.row), stamp)
    return 'update' in write ? updateRequest(plan, write, stamp) : removeRequest(plan, write, stamp)
  }

  /** Throws TypeError for a write that could not be sent. */
  const check = ({ plan, write }: Bound): void => {
    const stamp = { token: '', now: 0 }
    if ('insert' in write) insertRequest(plan, write.row, stamp)
    else if ('update' in write) updateRequest(plan, write, stamp)
    else removeRequest(plan, write, stamp)
  }

  return { newStamp, read, standing, write, prepare, requestOf, check }
}
export type Rows = ReturnType<typeof createRows>
