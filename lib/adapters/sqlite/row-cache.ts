import type { Fields } from './plan.ts'

/**
 * Rows that were written last. A task is read soon after it was made. More of them would outlive the young generation, and
 * what that has to move costs every task more than a read costs those who ask.
 */
const MOST_ENTRIES = 64
/** Characters of a row beyond which it is read again rather than kept. */
const LARGEST = 8_192

/** Where a record lies: its `_rid`, or its key where rows lie in the order of their keys. */
export type Address = readonly (string | number)[]

/** What a record is before its first write; `isDetached` says whether its detail lies in the table beside. */
export type Before = { head: Fields | undefined; isDetached: boolean }

/** A row as a write left it; `head` undefined stands for a removed one. */
export type Version = {
  at: Address
  head: Fields | undefined
  /** Undefined when it is not in memory. */
  detail: Fields | undefined
  detailSize: number
  /** What the write made of the detail; undefined when it left that alone. */
  detailText: string | undefined
}

/** The cached rows of one table, by their names. */
export type Rows = Map<string, Entry>

/**
 * A row as the last decided write left it, and its record as the last sealed batch left it: `given` is the head that was
 * written there, undefined when there is no record, and `isDetached` whether its detail lies in the table beside. `pending`
 * counts the batches that change it and are not committed: until then readers see the file's state. `open` is the batch
 * under construction among them.
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
  /** The head as readers get it, from the first of them on. */
  seen: Fields | undefined
}

/** Brings a record to what its entry says; returns how much text its head is, and where its detail lies now. */
type RecordWriter = { write(entry: Entry): { headSize: number; isDetached: boolean } }

/** Where an entry belongs. */
type Slot = Pick<Entry, 'rows' | 'name' | 'records'>

export type RowCache = ReturnType<typeof createRowCache>

/**
 * The rows that were written last. Here a write finds what the writes before it decided, committed or not, and the writes
 * of one batch to one row become one statement. A row that was just written is the one most likely to be written next,
 * so it stays for a while. Rows that are only ever added are pending inserts and do not stay.
 */
export const createRowCache = () => {
  const tables: Rows[] = []
  const inserts = createPendingInserts()
  let touched: Entry[] = []
  /** What each sealed batch touched, in the order of the batches. */
  let sealed: Entry[][] = []
  let characters = 0
  let acceptedCharacters = 0
  /** What the commit under way replaced, to be put back if it is refused or throws. */
  const undo: { entry: Entry; before: Entry | undefined }[] = []

  /** The table that holds most makes room, row by row, so that a crowd of one kind does not push out the few of another. */
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
    /** Room for the rows of one more table. */
    rows: (): Rows => {
      const rows: Rows = new Map()
      tables.push(rows)
      return rows
    },
    /** About how much text of details and added rows the open batch will hold. */
    get characters() {
      return characters + inserts.characters
    },
    /** Takes in a row as it was just written, over what `known` says, or over the record that `was` there. */
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
    /** The commit under way is decided. */
    accept: (): void => {
      undo.length = 0
      acceptedCharacters = characters
      inserts.accept()
    },
    /** The commit under way was refused, or threw: forget what it put. */
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
    /** Writes what was touched since the last time to the batch. */
    seal: (): void => {
      // What was added may have been changed since.
      inserts.seal()
      for (const entry of touched) write(entry)
      sealed.push(touched)
      touched = []
      characters = 0
      acceptedCharacters = 0
    },
    /** The oldest of the sealed batches is committed. */
    committed: (): void => {
      inserts.committed()
      for (const entry of sealed.shift() ?? []) {
        entry.pending -= 1
        if (entry.pending === 0 && isNotWorthIt(entry)) letGo(entry)
      }
      evict()
    },
    /** Decisions that were never committed are void, and so is everything decided after them. */
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
 * Forgets a row. The map it was in grows and shrinks all the time, and its dead tables keep what they held alive until
 * the next full collection: that is to be little.
 */
const letGo = (entry: Entry): void => {
  if (entry.rows.get(entry.name) === entry) entry.rows.delete(entry.name)
  entry.head = entry.given = entry.seen = entry.detail = entry.detailText = undefined
}

/** Writes an entry that changed to the batch, and notes that it did. */
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

/** The oldest row of a table that no batch waits with. */
const oldestOf = (rows: Rows): Entry | undefined => {
  for (const entry of rows.values()) if (entry.pending === 0) return entry
  return undefined
}

/** Adds rows of one table to the batch, in their order. */
export type AddAll = (rows: readonly Fields[]) => void

/** A row that was added and is not committed yet, and by what it gets into the batch. */
type PendingInsert = { addAll: AddAll; within: string; key: string; row: Fields }

/**
 * Rows of clustered tables that are not committed yet. There are many of them and hardly one is written again within the
 * moment that it takes, so they are only listed; a look-up goes through the lists.
 */
const createPendingInserts = () => {
  let open: PendingInsert[] = []
  let sealed: PendingInsert[][] = []
  let accepted = 0
  let characters = 0
  let acceptedCharacters = 0
  const all = () => [...sealed.flat(), ...open]
  return {
    /** Takes in a row of about so much text. */
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
