/** What storage throws for a collection that it was not opened with. */
export const unknownCollection = (name: string): Error =>
  new Error(`The collection ${name} has no table: add it to lib/collections.ts`)

/** A stored row: plain JSON, its key a string. */
type Row = { readonly [field: string]: unknown }
export type Field<R> = Extract<keyof R, string>

/**
 * An order in which rows can be paged without sorting: those with one value of `within` (all rows when absent), by
 * `by`, ties broken by the key. A row without the `by` field is not in the index.
 */
type Index<R> = { within?: Field<R>; by: Field<R> }

/** An entry of a row's log. Ids of one log grow in the order of its writes. */
export type LogEntry = { readonly id: string; readonly [field: string]: unknown }

/**
 * One write of one row, as `counts` and `sends` see it: the light fields before and after it (undefined: there was none,
 * or it is gone; removal by expiry included) and the log entries that it appended. Detail is not there, and a `long` field may
 * be missing: storage may keep those elsewhere. `collection` has the compiler see to that.
 */
export type Change<R> = {
  readonly before: Readonly<R> | undefined
  readonly after: Readonly<R> | undefined
  readonly log: readonly LogEntry[]
}

/** What those who watch live see of a change. `data` is plain JSON. Without an `audience` (a user id) all users see it. */
export type LiveDraft = { readonly type: string; readonly data: object; readonly audience?: string }

/**
 * Moves the counters of one `member` of a `counter`; `least` and `most` keep the smallest and largest value seen. A member with
 * an `expiresAt`, in epoch milliseconds and the same in each of its increments, is removed some time after that moment.
 */
export type Increment = {
  readonly counter: string
  readonly member: string
  readonly expiresAt?: number
  readonly add?: Readonly<Record<string, number>>
  readonly least?: Readonly<Record<string, number>>
  readonly most?: Readonly<Record<string, number>>
}

/** For `counts`: how many rows there are, as `total` of the counters that a row belongs to. A row keeps to those for its life. */
export const countRows =
  <R>(countersOf: (row: Readonly<R>) => readonly Pick<Increment, 'counter' | 'member'>[]) =>
  ({ before, after }: Pick<Change<R>, 'before' | 'after'>): Increment[] => {
    const row = after ?? before
    const total = Number(after !== undefined) - Number(before !== undefined)
    return row === undefined || total === 0 ? [] : countersOf(row).map((of) => ({ ...of, add: { total } }))
  }

/**
 * Where messages go: `run` starts the attempts of tasks, `turns` continues what waited for an approval (`composition/chat.ts`),
 * `notices` is handled by the domains (`composition/notices.ts`).
 */
export type Channel = 'run' | 'turns' | 'notices'

/**
 * A message that a change causes, for the channel `to`. Delivery is at least once and never before the row can be read;
 * `id` is the same for every delivery of it. `notBefore` is an ISO time. A message that is `rebuilt` is not kept in
 * storage: its receiver makes it again from the rows when the process starts.
 */
export type Message = {
  readonly to: Channel
  readonly id: string
  readonly body: object
  readonly priority?: 1 | 2 | 3 | 4
  readonly notBefore?: string
  readonly group?: string
  readonly rebuilt?: true
}

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
 * them together; there a change, a condition or a test that names one is answered all the same, by reading more.
 * `expires` names a field of epoch milliseconds after which the row counts as absent.
 *
 * What follows from a write is declared here, and done by storage also when the process dies after it:
 * `log` names the collection that holds the entries which writes of its rows append; its `within` is the key of this one.
 * `counts` says which counters a change moves, `sends` which messages it causes, `publishes` what live readers see of it.
 * All are pure, may be asked again for the same change, and read nothing but the change. What is published is not stored
 * with the write: a process that dies right after it publishes nothing.
 * `recount` is for the counters that rows alone tell: the index that has every row, and whether a name is one of those (all
 * are where it does not say). Rows hold the present state only. An index within a user's id has every row as well. `counter` and
 * `ofUser`, the counter of a user, are corrected also where no row is left.
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
  log?: { readonly name: string }
  counts?(change: Change<R>): readonly Increment[]
  sends?(change: Change<R>): readonly Message[]
  publishes?(change: Change<R>): readonly LiveDraft[]
  recount?: {
    index: string
    isCounted?(name: string): boolean
    counter?: string
    ofUser?(userId: string): string
  }
}

/**
 * A declaration that names its detail and long fields in its type. `counts` sees neither, since a counter would drift where
 * storage has a field at one time and not at another; `sends` and `publishes` see long fields as ones that may be missing.
 */
type Declared<R extends object, Detail extends Field<R>, Long extends Field<R>> = Omit<
  Collection<R>,
  'detail' | 'long' | 'counts' | 'sends' | 'publishes'
> & {
  detail?: readonly Detail[]
  long?: readonly Long[]
  counts?(change: Change<Omit<R, Detail | Long>>): readonly Increment[]
  sends?(change: Change<Omit<R, Detail | Long> & Partial<Pick<R, Long>>>): readonly Message[]
  publishes?(change: Change<Omit<R, Detail | Long> & Partial<Pick<R, Long>>>): readonly LiveDraft[]
}

/**
 * Declares a collection; the row type is given and the rest is checked against it. One with `counts` or `sends` names its
 * detail and long fields as types as well: `collection<TaskRow, 'prompt', 'title'>({…})`.
 */
export const collection: {
  <R extends object>(
    declared: Collection<R> & { counts?: never; sends?: never; publishes?: never },
  ): Collection<R>
  <R extends object, Detail extends Field<R> = never, Long extends Field<R> = never>(
    declared: Declared<R, Detail, Long>,
  ): Collection<R>
} = <R extends object>(declared: Collection<R>): Collection<R> => declared
