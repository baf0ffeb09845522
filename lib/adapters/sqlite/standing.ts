import type { Key } from '../../ports/store.ts'
import type { Fields } from './change.ts'
import type { HighWater } from './high-water.ts'
import type { Hot } from './hot.ts'
import type { Plan } from './plan.ts'
import type { Address, Records } from './records.ts'

/** What the reads and writes of one table stand on. */
export type Parts = {
  plan: Plan
  records: Records
  hot: Hot
  highWater: HighWater
  expired: (head: Fields) => boolean
}
/** A row and where it lies. `detail` is undefined when nobody asked for it and it was not at hand; its size is in characters. */
export type Standing = { at: Address; head: Fields; detail: Fields | undefined; detailSize: number }

export const NOTHING: Fields = Object.freeze({})
const NOT_LOADED = { detail: undefined, detailSize: 0 }

export const nameOf = ({ plan }: Parts, key: Key): string =>
  typeof key === 'string' ? `${plan.name}\0${key}` : `${plan.name}\0${key[0]}\0${key[1]}`

/** The row as the file has it, expired or not. */
export const inFile = ({ records }: Parts, key: Key, detail: boolean): Standing | undefined => {
  const found = records.find(key)
  return found && { ...found, ...(detail ? records.details.read(found.at) : NOT_LOADED) }
}

/** The row as the last write that was decided left it, expired or not. */
export const lastOf = (parts: Parts, key: Key, name: string, detail: boolean): Standing | undefined => {
  const entry = parts.hot.get(name)
  if (entry === undefined) return freshOf(parts, key) ?? inFile(parts, key, detail)
  const { at, head } = entry
  if (head === undefined) return undefined
  if (entry.detail !== undefined || !detail)
    return { at, head, detail: entry.detail, detailSize: entry.detailSize }
  // Detail that is not at hand was not written since it was last durable, so the file has it.
  return { at, head, ...parts.records.details.read(at) }
}

const freshOf = ({ plan, hot }: Parts, key: Key): Standing | undefined => {
  const head = typeof key === 'string' ? undefined : hot.fresh.find(plan.name, ...key)
  return head && typeof key !== 'string' ? { at: key, head, detail: NOTHING, detailSize: 0 } : undefined
}

/** The row as readers may see it: the file's state, which an entry without pending writes has in memory. */
export const durableOf = (parts: Parts, key: Key, detail: boolean): Standing | undefined => {
  const name = nameOf(parts, key)
  return parts.hot.get(name)?.pending === 0 ? lastOf(parts, key, name, detail) : inFile(parts, key, detail)
}

/** A copy for the caller: what is kept here must not change in its hands. */
export const shown = ({ head, detail }: Standing, asked: boolean): Fields =>
  asked ? { ...head, ...detail } : { ...head }
