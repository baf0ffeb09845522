import type { Collection, Field, Increment, LogEntry } from '../core/collection.ts'

/** Values a field must have for a write to apply; `null` means absent. A list means any of them. */
export type When<R> = { readonly [F in Field<R>]?: Scalar | null | readonly (Scalar | null)[] }
export type Scalar = string | number | boolean

/** Inserts a row that must not exist yet. The same write appends `log` to its log. */
export type Insert<R extends object> = { insert: Collection<R>; row: R; log?: readonly LogEntry[] }
/**
 * Changes a row that exists and meets `when`. `setIfAbsent` sets summary fields that have no value yet, `add` adds to
 * numbers (absent counts as 0), `unset` removes fields. Only one of them names a field, except that `unset` overrides the
 * others. The same write appends `log` to the row's log.
 */
export type Update<R extends object> = {
  update: Collection<R>
  key: Key
  when?: When<R>
  set?: Partial<R>
  setIfAbsent?: Partial<R>
  add?: { readonly [F in Field<R>]?: number }
  unset?: readonly Field<R>[]
  log?: readonly LogEntry[]
}
/** Removes a row that exists and meets `when`. Its log is removed with it, at once or later. */
export type Remove<R extends object> = { remove: Collection<R>; key: Key; when?: When<R> }

/** A row's key; a pair `[within, key]` for a collection that declares `within`. */
export type Key = string | readonly [within: string, key: string]
export type Write<R extends object> = Insert<R> | Update<R> | Remove<R>
// biome-ignore lint/suspicious/noExplicitAny: a commit mixes rows of any collections; each was checked where it was built.
export type AnyWrite = Write<any>

/**
 * `row` is the head's row after an applied commit (before it, for a removal), or the row that failed the head's
 * condition; without detail unless asked. `refused` is the index of the first write whose condition failed: 0 for the
 * head, from 1 for `rows`. When it is one of `rows`, the head's row is absent.
 */
export type Outcome<R> =
  | { applied: true; row: R | undefined }
  | { applied: false; row: R | undefined; refused: number }

/**
 * A condition on rows, as data: every adapter translates it. Texts compare by code unit, ranges are inclusive, `null` in a
 * list means absent. `words` tests what the collection declares as `search`: each word is a part of any of those texts, in
 * any case.
 */
export type Test<R> =
  | { field: Field<R>; in: readonly (Scalar | null)[] }
  | { field: Field<R>; hasAll: readonly string[] }
  | { field: Field<R>; from?: string; to?: string }
  | { field: Field<R>; exists: boolean }
  | { fields: readonly Field<R>[]; contains: string }
  | { words: readonly string[] }

/** A place in an ordered list: the sort value and key of the last row that was read. */
export type Position = { by: Scalar | null; key: string }

/**
 * Rows of one index, or in any order when `sort` is given (sorted after selection: expensive on large collections). `is`
 * selects the partition of an index that declares `within`. `total` asks for the number of rows on all pages.
 */
export type Query<R extends object> = {
  index: string
  is?: Scalar
  where?: readonly Test<R>[]
  sort?: Field<R>
  order: 'asc' | 'desc'
  limit: number
  after?: Position
  offset?: number
  detail?: boolean
  total?: boolean
}
/**
 * `total` is set when it was asked for, and `searched`, the names of the texts that were looked through, when `words` were
 * tested. Readers share the rows and must not change them.
 */
export type Page<R> = {
  rows: Readonly<R>[]
  next: Position | undefined
  total?: number
  searched?: readonly string[]
}

/**
 * Entries of a log in their order, where the range begins after the entry `after`; or at most `newest` of the last ones,
 * the newest first.
 */
export type LogRange = { after?: string; limit?: number } | { newest: number }

/** The counters of one member, by name. A name that was never added to is absent. */
export type Counters = Readonly<Record<string, number>>

/**
 * Persistent storage of declared collections. A resolved write survives the process (except in `:memory:`). Reads see
 * every write whose promise has resolved. Errors of the medium reject with Problem `unavailable`.
 *
 * A row whose large values were lost in storage is read without them, with `truncated`, the names of their fields
 * (`lib/core/truncated.ts`). A condition on a lost field does not hold.
 */
export interface Store {
  get<R extends object>(of: Collection<R>, key: Key, detail?: boolean): Promise<R | undefined>
  /**
   * A page or a count that needs more rows than storage can read in the time of a request may reject with Problem
   * `invalid` `selection_too_broad`.
   */
  page<R extends object>(of: Collection<R>, query: Query<R>): Promise<Page<R>>
  count<R extends object>(of: Collection<R>, query: Pick<Query<R>, 'index' | 'is' | 'where'>): Promise<number>
  /**
   * One conditional write and the rows that belong to it: all are written, or none where any condition fails. No two of
   * them write the same row. Storage then does what the collections declare: log entries in the same write, counters with
   * it or within moments, messages once readers see the write.
   */
  commit<R extends object>(head: Write<R>, rows?: readonly AnyWrite[], detail?: boolean): Promise<Outcome<R>>
  /** The log of a row, in the order of its writes. Empty for a missing row, and after an id that it does not have. */
  log<R extends object>(of: Collection<R>, key: string, range?: LogRange): Promise<readonly LogEntry[]>
  /**
   * The members of a counter, by name; with `from` only those from that name on. They may lag behind the rows by moments,
   * where storage documents it.
   */
  counters(counter: string, from?: string): Promise<Readonly<Record<string, Counters>>>
  /** Changes counters without any write of rows: for corrections only. */
  adjust(increments: readonly Increment[]): Promise<void>
  close(): Promise<void>
}
