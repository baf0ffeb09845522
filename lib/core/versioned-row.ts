import type { Collection } from './collection.ts'

type Versioned = { id: string; version: number }

/**
 * The write of the next version of a row, on condition that the stored version is still that of `before`; version 0
 * stands for a row that is not stored yet. It names every field: a field that it omits would keep its stored value.
 */
export const versionedWrite = <R extends Versioned>(of: Collection<R>, before: R, after: R) => {
  if (before.version === 0) return { insert: of, row: after }
  const { id: key, ...set } = after
  return { update: of, key, when: { version: before.version }, set }
}

type Needs<R> = {
  /** Reads the stored row; undefined before the first version. */
  read: () => Promise<R | undefined>
  /** The row before the first version. */
  first: R
  /** The longest age of the cached row: Infinity where no other process can change it. */
  staleAfterMs: number
  clock: { monotonic(): number }
  /** Called with each row that is read or written. */
  onRow?: (row: R) => void
}

/** A versioned row as this process last read or wrote it. */
export const createRowCache = <R extends Versioned>({
  read,
  first,
  staleAfterMs,
  clock,
  onRow,
}: Needs<R>) => {
  let row = first
  let readAt: number | undefined
  let reading: Promise<void> | undefined

  /** Replaces the cached row by one that was read or written just now. */
  const put = (next: R): void => {
    row = next
    readAt = clock.monotonic()
    onRow?.(next)
  }

  /** Reads the stored row, however recent the cached one is. */
  const load = async (): Promise<void> => {
    const stored = (await read()) ?? first
    // Reads may overtake each other: an earlier read must not replace the result of a later one.
    if (stored.version >= row.version) put(stored)
  }

  return {
    /** The cached row. */
    row: (): R => row,
    put,
    load,
    /** Resolves when the cached row is recent enough; undefined when it already is. Concurrent calls share one read. */
    refresh: (): Promise<void> | undefined => {
      if (readAt !== undefined && clock.monotonic() - readAt < staleAfterMs) return undefined
      reading ??= load().finally(() => {
        reading = undefined
      })
      return reading
    },
  }
}
