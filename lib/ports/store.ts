import type { Collection, Field } from '../core/collection.ts'

/** Values a field must have for a write to apply; `null` means absent. A list means any of them. */
export type When<R> = { readonly [F in Field<R>]?: Scalar | null | readonly (Scalar | null)[] }
export type Scalar = string | number | boolean

/** Puts a row that must not exist yet. */
export type Insert<R extends object> = { insert: Collection<R>; row: R }
/** Changes a row that exists and meets `when`. `add` adds to numbers (absent counts as 0); `unset` removes fields. */
export type Update<R extends object> = {
  update: Collection<R>
  key: Key
  when?: When<R>
  set?: Partial<R>
  add?: { readonly [F in Field<R>]?: number }
  unset?: readonly Field<R>[]
}
/** Removes a row that exists and meets `when`. */
export type Remove<R extends object> = { remove: Collection<R>; key: Key; when?: When<R> }
/** Adds to the running totals of `member` in `group`; `least` and `most` keep the smallest and largest value seen. */
export type Tally = {
  tally: string
  member: string
  add?: Readonly<Record<string, number>>
  least?: Readonly<Record<string, number>>
  most?: Readonly<Record<string, number>>
}

/** A row's key; a pair `[within, key]` for a collection that declares `within`. */
export type Key = string | readonly [within: string, key: string]
export type Write<R extends object> = Insert<R> | Update<R> | Remove<R>
// biome-ignore lint/suspicious/noExplicitAny: a change mixes rows of any collections; each was checked where it was built.
export type Follower = Write<any> | Tally

/** What follows from a head: given, or derived from the row that the head left (with detail when `detail` was asked). */
export type Followers<R> = readonly Follower[] | ((row: R) => readonly Follower[])

/** `row` is the row after an applied write (before, for a removal), or the row that stood in the way; without detail unless asked. */
export type Outcome<R> = { applied: boolean; row: R | undefined }

/** A condition on rows, as data: every adapter translates it. Texts compare by code unit, ranges are inclusive. */
export type Test<R> =
  | { field: Field<R>; in: readonly Scalar[] }
  | { field: Field<R>; hasAll: readonly string[] }
  | { field: Field<R>; from?: string; to?: string }
  | { fields: readonly Field<R>[]; contains: string }

/** A place in an ordered list: the sort value and key of the last row that was read. */
export type Position = { by: Scalar | null; key: string }

/**
 * Rows of one index, or of any order when `sort` is given (then sorted after selection: dear on large collections).
 * `is` picks the partition of an index that declares `within`. `total` asks how many rows there are on all pages.
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
/** `total` is there when it was asked for. Rows may be shared by all who read them, and are not to be changed. */
export type Page<R> = { rows: Readonly<R>[]; next: Position | undefined; total?: number }

/** Running totals of one member of a tally group. A name never added to is absent. */
export type Totals = Readonly<Record<string, number>>

/**
 * Durable storage of declared collections. What a promise answered survives the process (but for `:memory:`).
 * Reads see every write whose promise has resolved. Errors of the medium reject with Problem `unavailable`.
 */
export interface Store {
  get<R extends object>(of: Collection<R>, key: Key, detail?: boolean): Promise<R | undefined>
  /**
   * A page or a count that would have to look at more rows than storage can in the time of a request may reject with
   * Problem `invalid` `selection_too_broad`.
   */
  page<R extends object>(of: Collection<R>, query: Query<R>): Promise<Page<R>>
  count<R extends object>(of: Collection<R>, query: Pick<Query<R>, 'index' | 'is' | 'where'>): Promise<number>
  /**
   * One conditional write and what follows from it. When the head's condition fails nothing is written. A follower's
   * failed condition skips that follower only. With transactions all is one of them; without, followers are applied
   * after the head, and a death in between is repaired by whoever reconciles.
   */
  commit<R extends object>(head: Write<R>, followers?: Followers<R>, detail?: boolean): Promise<Outcome<R>>
  /**
   * As `commit`, but resolves as soon as the change is decided: whoever writes next finds it, readers do not yet.
   * `durable` resolves when it cannot be lost any more, at the latest with the next commit that is decided after it,
   * and rejects when it was. A store that decides and keeps in one step answers with a `durable` that has resolved.
   */
  decide<R extends object>(
    head: Write<R>,
    followers?: Followers<R>,
    detail?: boolean,
  ): Promise<Outcome<R> & { durable: Promise<void> }>
  /** Members of a group, by name. With `from` those from that one on, read from the medium even if it is known. */
  tallies(group: string, from?: string): Promise<Readonly<Record<string, Totals>>>
  close(): Promise<void>
}
