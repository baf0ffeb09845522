/** A stored row: plain JSON, its key a string. */
export type Row = { readonly [field: string]: unknown }
export type Field<R> = Extract<keyof R, string>

/**
 * An order in which rows can be paged without sorting: those with one value of `within` (all rows when absent), by
 * `by`, ties broken by the key. A row without the `by` field is not in the index.
 */
export type Index<R> = { within?: Field<R>; by: Field<R> }

/**
 * A kind of stored row, declared as data; the storage adapters derive their tables from it.
 * `within` makes the key a pair, for rows that are only ever read together with their owner.
 * `detail` fields are heavy: they are kept beside the row and come only when asked for.
 * `summary` lists all the other fields, for storage whose indexes are copies and that has to name what to copy; where a
 * collection has detail and no list, such storage copies the detail as well. Storage that keeps no order of fields shows
 * them in that of the list, then the detail, then what is in no list by its name.
 * `long` names fields of the summary that may be long. Storage whose indexes are copies, paid for by their size, keeps what
 * is too much for a copy beside the row; the row comes whole all the same.
 * `fixed` names fields of the summary that a row is made with and keeps. Storage whose indexes can name few fields keeps
 * them together; there a change, a condition or a test that names one is answered all the same, by reading more, and a
 * follower that names one is written after its head.
 * `expires` names a field of epoch milliseconds after which the row counts as absent.
 */
export type Collection<R extends object = Row> = {
  name: string
  key: Field<R>
  within?: Field<R>
  indexes: Readonly<Record<string, Index<R>>>
  detail?: readonly Field<R>[]
  summary?: readonly Field<R>[]
  long?: readonly Field<R>[]
  fixed?: readonly Field<R>[]
  expires?: Field<R>
}

/** Declares a collection; the row type is given, the rest is checked against it. */
export const collection = <R extends object>(declared: Collection<R>): Collection<R> => declared
