export const unknownCollection = (name: string): Error =>
  new Error(`The collection ${name} has no table: add it to lib/collections.ts`)

/** A stored row: plain JSON, its key a string. */
type Row = { readonly [field: string]: unknown }
export type Field<R> = Extract<keyof R, string>

/** Orders rows with one value of `within` (all when absent) by `by`, then the key. A row without `by` is not in it. */
type Index<R> = { within?: Field<R>; by: Field<R> }

/** An entry of a row's log. Ids of one log grow in the order of its writes. */
export type LogEntry = { readonly id: string; readonly [field: string]: unknown }

/**
 * One write of a row, as `counts` and `sends` see it: the summary before and after it, and the log entries that it
 * appended. `before` is undefined for a new row, `after` for a removed or expired one. Detail fields are absent, and a
 * `long` field may be absent, since storage may keep those elsewhere.
 */
export type Change<R> = {
  readonly before: Readonly<R> | undefined
  readonly after: Readonly<R> | undefined
  readonly log: readonly LogEntry[]
}

/** A live event that a change publishes. `data` is plain JSON. With an `audience` (a user id) only that user sees it. */
export type LiveDraft = { readonly type: string; readonly data: object; readonly audience?: string }

/**
 * Changes the counters of a `member`; `least` and `most` keep the smallest and largest value. `expiresAt` (epoch
 * milliseconds, the same in each increment of a member) lets storage remove the member after that moment.
 */
export type Increment = {
  readonly counter: string
  readonly member: string
  readonly expiresAt?: number
  readonly add?: Readonly<Record<string, number>>
  readonly least?: Readonly<Record<string, number>>
  readonly most?: Readonly<Record<string, number>>
}

/**
 * A text of a row that searches look through, and its name in answers. `text` takes it from the value of `field`, which is
 * a text where `text` is absent. Storage that reads rows to search them leaves `heavy` ones out.
 */
export type SearchedText<R> = {
  readonly name: string
  readonly field: Field<R>
  readonly text?: (value: unknown) => string | undefined
  readonly heavy?: true
}

/** The member of a counter that is not divided into members. */
export const DEFAULT_MEMBER = 'all'

/** A `counts` that counts rows: `total` of each counter that a row belongs to. A row never changes its counters. */
export const countRows =
  <R>(rowCounters: (row: Readonly<R>) => readonly string[]) =>
  ({ before, after }: Pick<Change<R>, 'before' | 'after'>): Increment[] => {
    const row = after ?? before
    const total = Number(after !== undefined) - Number(before !== undefined)
    return row === undefined || total === 0
      ? []
      : rowCounters(row).map((counter) => ({ counter, member: DEFAULT_MEMBER, add: { total } }))
  }

type Counters = Readonly<Record<string, number>>
type CounterReader = { counters(counter: string): Promise<Readonly<Record<string, Counters>>> }

/** A counter that is not divided into members; empty for one that was never added to. It may lag behind the rows. */
export const readCounter = async (store: CounterReader, counter: string): Promise<Counters> =>
  (await store.counters(counter))[DEFAULT_MEMBER] ?? {}

/** The number of rows that `countRows` counted. It may lag behind them. */
export const readRowCount = async (store: CounterReader, counter: string): Promise<number> =>
  (await readCounter(store, counter)).total ?? 0

/** `run` starts attempts of tasks, `turns` continues runs after approvals, `notices` go to domains. */
export type Channel = 'run' | 'turns' | 'notices'

/**
 * A message that a change causes, for the channel `to`. It is delivered at least once, and never before readers see the
 * row. `id` is the same in every delivery. `notBefore` is an ISO time. `group`, `lane` and `owner` are those of the queue. A `rebuilt` message is not stored: its receiver
 * makes it again from the rows when the process starts.
 */
export type Message = {
  readonly to: Channel
  readonly id: string
  readonly body: object
  readonly priority?: 1 | 2 | 3 | 4
  readonly notBefore?: string
  readonly group?: string
  readonly lane?: string
  readonly owner?: string
  readonly rebuilt?: true
}

/**
 * A kind of stored row, declared as data; the storage adapters derive their tables from it.
 * - `within` makes the key a pair, for rows that are only read together with their owner.
 * - `detail` names large fields. They are stored beside the row and read only on request.
 * - `summary` lists all other fields, which are the summary of a row, for storage whose indexes are copies. Without it,
 *   such storage copies the detail too. Storage that keeps no order of fields answers them in the order of this list,
 *   then the detail, then all others by name.
 * - `long` names summary fields that may be long. Storage whose indexes are copies keeps a value that is too long for a
 *   copy beside the row; a read still answers the whole row.
 * - `fixed` names summary fields that never change after the insert. Storage whose indexes can name few fields keeps
 *   these together; a change or condition that names one still works there, at the cost of more reads.
 * - `placeholders` has a value for each required field of `detail` and `long`: the value that a read answers when the
 *   stored object of the field is gone. The row then names the field in `truncated` (`lib/core/truncated.ts`).
 * - `search` lists the texts that a test on `words` looks through.
 * - `expires` names a field of epoch milliseconds after which the row counts as absent.
 *
 * Storage carries out what follows from a write, even if the process dies after the write:
 * - `log` names the collection of the entries that writes of a row append; its `within` is the key of the row.
 * - `counts` returns the counters that a change moves, `sends` the messages, and `publishes` the live events. All three
 *   are pure, may be called again for the same change, and read nothing else. Live events are not stored with the write:
 *   a process that dies right after the write publishes none.
 * - `recount` describes the counters that can be computed from rows alone: an index that has every row (or every row of
 *   each user), and which names of the counter it covers (all by default). `counter`, and `ofUser` for the counter of a
 *   user, are corrected also where no row is left.
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
  placeholders?: Readonly<Record<string, unknown>>
  search?: readonly SearchedText<R>[]
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

/** `counts` sees no detail and long fields: a counter would drift, since storage has them only sometimes. */
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

/** Declares a collection. Its type names detail and long fields where it `counts` or `sends`. */
export const collection: {
  <R extends object>(
    declared: Collection<R> & { counts?: never; sends?: never; publishes?: never },
  ): Collection<R>
  <R extends object, Detail extends Field<R> = never, Long extends Field<R> = never>(
    declared: Declared<R, Detail, Long>,
  ): Collection<R>
} = <R extends object>(declared: Collection<R>): Collection<R> => declared
