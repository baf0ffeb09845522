import type { Collection } from './collection.ts'
import { createContention } from './contention.ts'
import type { Problem } from './errors.ts'

type Versioned = { id: string; version: number }

/** The write of a version: an insert of the first one, else an update on condition of the version before. */
type VersionWrite<R extends Versioned> =
  | { insert: Collection<R>; row: R }
  | { update: Collection<R>; key: string; when: { version: number }; set: Partial<R> }

type Needs<R extends Versioned, W> = {
  store: {
    get(of: Collection<R>, key: string): Promise<R | undefined>
    commit(head: VersionWrite<R>, rows?: readonly W[]): Promise<{ applied: boolean }>
  }
  clock: { monotonic(): number; after(delayMs: number, call: () => void): unknown }
  entropy: (bytes: number) => Uint8Array
}

type Options<R extends Versioned> = {
  of: Collection<R>
  /** The row before its first version, which is not stored: its version is 0. */
  first: R
  /** The longest age of the cached row: Infinity, the default, where no other process can change it. */
  staleAfterMs?: number
  busy: () => Problem
  /** Called with each row that is read or written. */
  onRow?: (row: R) => void
}

/** The version after `before`, and its write. An update names every field: one that it omits would keep its stored value. */
export const nextVersion = <R extends Versioned>(
  of: Collection<R>,
  before: R,
  changed: Partial<Omit<R, 'id' | 'version'>>,
): { row: R; write: VersionWrite<R> } => {
  const row = { ...before, ...changed, version: before.version + 1 }
  if (before.version === 0) return { row, write: { insert: of, row } }
  const { id: key, ...set } = row
  return {
    row,
    write: { update: of, key, when: { version: before.version }, set: set as unknown as Partial<R> },
  }
}

/** The fields to change, and rows of the same commit; undefined leaves the row as it is. */
type Change<R, W> = { set: Partial<Omit<R, 'id' | 'version'>>; rows?: readonly W[] } | undefined

/** One versioned row, cached as this process last read or wrote it. */
export const createVersionedRow = <R extends Versioned, W = never>(
  { store, clock, entropy }: Needs<R, W>,
  { of, first, staleAfterMs = Number.POSITIVE_INFINITY, busy, onRow }: Options<R>,
) => {
  const contend = createContention({ clock, entropy }, busy)
  let row = first
  let readAt: number | undefined
  let reading: Promise<R> | undefined

  const put = (next: R): void => {
    row = next
    readAt = clock.monotonic()
    onRow?.(next)
  }

  /** Reads the stored row, however recent the cached one is. */
  const load = async (): Promise<R> => {
    const stored = (await store.get(of, first.id)) ?? first
    // Reads may overtake each other: an earlier read must not replace the result of a later one.
    if (stored.version >= row.version) put(stored)
    return row
  }

  return {
    row: (): R => row,
    load,
    /** Resolves when the cached row is recent enough; undefined when it already is. Concurrent calls share one read. */
    refresh: (): Promise<R> | undefined => {
      if (readAt !== undefined && clock.monotonic() - readAt < staleAfterMs) return undefined
      reading ??= load().finally(() => {
        reading = undefined
      })
      return reading
    },
    /** Writes what `prepare` changes of the stored row; resolves to the row after that. Throws `busy`. */
    change: (prepare: (row: R) => Change<R, W> | Promise<Change<R, W>>): Promise<R> =>
      contend(async () => {
        const before = await load()
        const change = await prepare(before)
        if (change === undefined) return before
        const { row: after, write } = nextVersion(of, before, change.set)
        const { applied } = await store.commit(write, change.rows)
        if (!applied) return undefined
        put(after)
        return after
      }),
  }
}
