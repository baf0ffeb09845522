import { users } from '../accounts/rows.ts'
import { createClock } from '../adapters/node/clock.ts'
import { openSqliteStore } from '../adapters/sqlite/store.ts'
import { collections } from '../collections.ts'
import type { Config } from '../config/config.ts'
import type { Collection, Increment } from '../core/collection.ts'
import { definedFields } from '../core/defined-fields.ts'
import { getOrCreate } from '../core/get-or-create.ts'
import { rowPages } from '../core/page.ts'
import { LOCAL_USER } from '../core/principal.ts'
import type { Store } from '../ports/store.ts'
import { openStorage } from './cloud-ports.ts'
import { openData } from './data.ts'

type Corrected = { counter: string; member: string; add: Readonly<Record<string, number>> }

const PAGE = 1_000

type Sums = Map<string, Map<string, number>>

/** Corrects the counters of every collection that declares `recount`; exact afterwards when nothing else runs. */
export const recount = async (store: Store, collections: readonly Collection[]): Promise<Corrected[]> => {
  const corrected: Corrected[] = []
  for (const of of collections) {
    const sums = await rowSums(store, of)
    for (const [counter, members] of sums) {
      const stored = await store.counters(counter)
      for (const member of new Set([...members.keys(), ...Object.keys(stored)])) {
        const add = difference(of, members.get(member) ?? new Map(), stored[member] ?? {})
        if (Object.keys(add).length > 0) corrected.push({ counter, member, add })
      }
    }
  }
  if (corrected.length > 0) await store.adjust(corrected)
  return corrected
}

/** Recounts the data that the settings name. Throws Problem when the folder is in use or cannot be opened. */
export const recountData = async (config: Config): Promise<Corrected[]> => {
  const data = config.SERVICE_MODE === 'pro' ? undefined : openData(config)
  const store = data
    ? openSqliteStore({ file: data.file, collections, clock: createClock() })
    : openStorage(config).store
  try {
    return await recount(store, collections)
  } finally {
    await store.close()
    data?.release()
  }
}

/** The sums of the increments of all rows, each counted as a new row: by counter, member and name. */
const rowSums = async (store: Store, of: Collection): Promise<Map<string, Sums>> => {
  const counters = new Map<string, Sums>()
  const { recount: by, counts, indexes } = of
  if (by === undefined || counts === undefined) return counters
  const count = async (is?: string) => {
    for await (const increment of rowIncrements(store, of, by.index, is)) addTo(counters, increment)
  }
  const isWithinUsers = indexes[by.index]?.within !== undefined
  if (by.counter !== undefined) counters.set(by.counter, new Map())
  if (by.ofUser !== undefined)
    for await (const userId of userIds(store)) {
      getOrCreate(counters, by.ofUser(userId), (): Sums => new Map())
      if (isWithinUsers) await count(userId)
    }
  if (!isWithinUsers) await count()
  return counters
}

/** The increments of each row of an index, or of a part of it, counted as a new row. */
async function* rowIncrements(store: Store, of: Collection, index: string, is: string | undefined) {
  const part = { index, order: 'asc', limit: PAGE, ...definedFields({ is }) } as const
  for await (const rows of rowPages((from) => store.page(of, { ...part, ...from })))
    for (const after of rows) yield* of.counts?.({ before: undefined, after, log: [] }) ?? []
}

async function* userIds(store: Store): AsyncGenerator<string> {
  // No list has the local admin.
  yield LOCAL_USER
  const all = { index: 'newest', order: 'asc', limit: PAGE } as const
  for await (const rows of rowPages((from) => store.page(users, { ...all, ...from })))
    for (const { id } of rows) yield id
}

const addTo = (counters: Map<string, Sums>, { counter, member, add = {} }: Increment): void => {
  const members = getOrCreate(counters, counter, (): Sums => new Map())
  const names = getOrCreate(members, member, () => new Map<string, number>())
  for (const [name, value] of Object.entries(add)) names.set(name, (names.get(name) ?? 0) + value)
}

const difference = (
  of: Collection,
  counted: ReadonlyMap<string, number>,
  stored: Readonly<Record<string, number>>,
) => {
  const names = [...new Set([...counted.keys(), ...Object.keys(stored)])]
  const counting = names.filter((name) => of.recount?.isCounted?.(name) ?? true)
  const add = counting.map((name) => [name, (counted.get(name) ?? 0) - (stored[name] ?? 0)] as const)
  return Object.fromEntries(add.filter(([, by]) => by !== 0))
}
