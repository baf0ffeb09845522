import type { Fields } from './plan.ts'

/**
 * The most cached rows: a task is read soon after its creation. More rows would outlive the young generation, and moving
 * them would cost every task more than the reads that they save.
 */
const MOST_ENTRIES = 64
/** The most characters of a cached row. */
const LARGEST = 8_192

/** The address of a record: its `_rid`, or its key in a clustered table. */
export type Address = readonly (string | number)[]

/** A record before its first write here; `isDetached` says whether its detail is in the second table. */
export type Before = { head: Fields | undefined; isDetached: boolean }

/** A row after a write; an undefined `head` stands for a removed one. */
export type Version = {
  at: Address
  head: Fields | undefined
  /** Undefined when it is not in memory. */
  detail: Fields | undefined
  detailSize: number
  /** The detail after the write; undefined when the write left it unchanged. */
  detailText: string | undefined
}

/** The cached rows of one table, by their names. */
export type Rows = Map<string, Entry>

/**
 * A row after the last decided write, and its record after the last sealed batch: `given` is the head in the record,
 * undefined without a record, and `isDetached` says whether its detail is in the second table. `pending` counts the
 * uncommitted batches that change it: until then readers see the state of the file. `open` says whether the batch under
 * construction is one of them.
 */
export type Entry = Version & {
  rows: Rows
  name: string
  records: RecordWriter
  given: Fields | undefined
  isDetached: boolean
  open: boolean
  pending: number
  headSize: number
  /** The head for readers, made at the first read. */
  seen: Fields | undefined
}

/** Writes the state of an entry to the record; returns the length of its head, and whether its detail is separate. */
type RecordWriter = { write(entry: Entry): { headSize: number; isDetached: boolean } }

/** The place of an entry. */
type Slot = Pick<Entry, 'rows' | 'name' | 'records'>

export type RowCache = ReturnType<typeof createRowCache>

/**
 * The latest written rows. A write finds the decisions of earlier writes here, committed or not, and the writes of one
 * batch to one row become one statement. A row that was just written is likely to be written again, so it stays for a
 * while. Rows that are only ever added are pending inserts and do not stay.
 */
export const createRowCache = () => {
  const tables: Rows[] = []
  const inserts = createPendingInserts()
  let touched: Entry[] = []
  /** The entries that each sealed batch changes, in the order of the batches. */
  let sealed: Entry[][] = []
  let characters = 0
  let acceptedCharacters = 0
  /** The entries that the current commit replaced, for the case that it is refused or throws. */
  const undo: { entry: Entry; before: Entry | undefined }[] = []

  /** The largest table drops entries, so that many rows of one kind do not displace the few of another. */
  const evict = () => {
    let excess = tables.reduce((sum, rows) => sum + rows.size, -MOST_ENTRIES)
    for (; excess > 0; excess -= 1) {
      const oldest = oldestOf(tables.reduce((most, rows) => (rows.size > most.size ? rows : most)))
      if (oldest === undefined) return
      letGo(oldest)
    }
  }

  const note = (entry: Entry, before: Entry | undefined) => {
    undo.push({ entry, before })
    if (before?.open !== true) touched.push(entry)
  }

  return {
    inserts,
    /** The rows of one more table. */
    rows: (): Rows => {
      const rows: Rows = new Map()
      tables.push(rows)
      return rows
    },
    /** The approximate length of details and added rows in the open batch. */
    get characters() {
      return characters + inserts.characters
    },
    /** Stores a written row, over the known entry, or over the record that `was` there. */
    put: (slot: Slot, known: Entry | undefined, version: Version, was: Before): void => {
      if (known === undefined) {
        const entry = entryOf(slot, version, was)
        slot.rows.set(slot.name, entry)
        note(entry, undefined)
      } else {
        note(known, { ...known })
        renew(known, version)
      }
      characters += version.detailText?.length ?? 0
    },
    /** The current commit is decided. */
    accept: (): void => {
      undo.length = 0
      acceptedCharacters = characters
      inserts.accept()
    },
    /** The current commit was refused, or threw: its rows are removed. */
    reject: (): void => {
      for (let last = undo.pop(); last; last = undo.pop()) {
        const { entry, before } = last
        if (before?.open !== true) touched.pop()
        if (before === undefined) letGo(entry)
        else Object.assign(entry, before)
      }
      characters = acceptedCharacters
      inserts.reject()
    },
    /** Writes the entries that changed since the last batch. */
    seal: (): void => {
      // Added rows may have been changed since.
      inserts.seal()
      for (const entry of touched) write(entry)
      sealed.push(touched)
      touched = []
      characters = 0
      acceptedCharacters = 0
    },
    /** The oldest sealed batch is committed. */
    committed: (): void => {
      inserts.committed()
      for (const entry of sealed.shift() ?? []) {
        entry.pending -= 1
        if (entry.pending === 0 && isNotWorthIt(entry)) letGo(entry)
      }
      evict()
    },
    /** Uncommitted decisions are void, and so are all later ones. */
    voided: (): void => {
      for (const rows of tables) rows.clear()
      touched = []
      sealed = []
      characters = 0
      acceptedCharacters = 0
      undo.length = 0
      inserts.voided()
    },
  }
}

/** The entry of a row that was just written over the record that `was` there. */
const entryOf = ({ rows, name, records }: Slot, version: Version, was: Before): Entry => {
  const { at, head, detail, detailSize, detailText } = version
  const { head: given, isDetached } = was
  const more = { given, isDetached, open: true, pending: 1, headSize: 0, seen: undefined }
  return { rows, name, records, at, head, detail, detailSize, detailText, ...more }
}

/** A cached row was written again. */
const renew = (entry: Entry, { at, head, detail, detailSize, detailText }: Version): void => {
  if (!entry.open) {
    entry.given = entry.head
    entry.detailText = undefined
    entry.pending += 1
    entry.open = true
  }
  entry.at = at
  entry.head = head
  entry.detail = detail
  entry.detailSize = detailSize
  entry.detailText = detailText ?? entry.detailText
  entry.headSize = 0
  entry.seen = undefined
}

/**
 * Drops a row. The map of entries grows and shrinks all the time, and its dead tables keep their entries alive until the
 * next full collection: so the entry is emptied.
 */
const letGo = (entry: Entry): void => {
  if (entry.rows.get(entry.name) === entry) entry.rows.delete(entry.name)
  entry.head = entry.given = entry.seen = entry.detail = entry.detailText = undefined
}

/** Writes a changed entry to the batch, and marks it. */
const write = (entry: Entry): void => {
  const { headSize, isDetached } = entry.records.write(entry)
  entry.headSize = headSize
  entry.isDetached = isDetached
  entry.given = entry.head
  entry.detailText = undefined
  entry.open = false
}

const isNotWorthIt = ({ head, headSize, detailSize }: Entry): boolean =>
  head === undefined || headSize + detailSize > LARGEST

/** The oldest row of a table that no batch refers to. */
const oldestOf = (rows: Rows): Entry | undefined => {
  for (const entry of rows.values()) if (entry.pending === 0) return entry
  return undefined
}

/** Adds rows of one table to the batch, in their order. */
export type AddAll = (rows: readonly Fields[]) => void

/** An added row that is not committed yet, and the function that adds it to the batch. */
type PendingInsert = { addAll: AddAll; within: string; key: string; row: Fields }

/**
 * Uncommitted rows of clustered tables. There are many of them and they are rarely written again before their commit, so
 * they are only listed; a look-up scans the lists.
 */
const createPendingInserts = () => {
  let open: PendingInsert[] = []
  let sealed: PendingInsert[][] = []
  let accepted = 0
  let characters = 0
  let acceptedCharacters = 0
  const all = () => [...sealed.flat(), ...open]
  return {
    /** Adds a row of approximate length `size`. */
    add: (one: PendingInsert, size: number): void => {
      open.push(one)
      characters += size
    },
    find: (addAll: AddAll, within: string, key: string): Fields | undefined =>
      all().findLast((one) => one.key === key && one.within === within && one.addAll === addAll)?.row,
    /** The keys of an owner's rows. */
    keysOf: (addAll: AddAll, within: string): string[] =>
      all()
        .filter((one) => one.within === within && one.addAll === addAll)
        .map(({ key }) => key),
    get characters() {
      return characters
    },
    accept: (): void => {
      accepted = open.length
      acceptedCharacters = characters
    },
    reject: (): void => {
      open.length = accepted
      characters = acceptedCharacters
    },
    /** Adds the open rows to the batch. */
    seal: (): void => {
      for (const [addAll, ones] of Map.groupBy(open, (one) => one.addAll)) addAll(ones.map(({ row }) => row))
      sealed.push(open)
      open = []
      accepted = 0
      characters = 0
      acceptedCharacters = 0
    },
    committed: (): void => {
      sealed.shift()
    },
    voided: (): void => {
      open = []
      sealed = []
      accepted = 0
      characters = 0
      acceptedCharacters = 0
    },
  }
}
