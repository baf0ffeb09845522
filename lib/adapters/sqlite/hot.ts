import type { Fields } from './change.ts'
import { createFresh } from './fresh.ts'
import type { Address, Records } from './records.ts'

/** What a record is before its first write. */
export type Before = { head: Fields | undefined; aside: boolean }

/** A row as a write left it; `head` undefined stands for a removed one. */
export type Row = {
  at: Address
  head: Fields | undefined
  /** Undefined when it is not at hand. */
  detail: Fields | undefined
  detailSize: number
  /** What the write made of the detail; undefined when it left that alone. */
  detailText: string | undefined
}

/**
 * A row as the last decided write left it, and its record as the last sealed script left it: `given` is the head that
 * was written there, undefined when there is no record, and `aside` whether its detail lies in the table beside.
 * `pending` counts the scripts that change it and are not durable: until then readers see the file's state. `open` is
 * the script under construction among them.
 */
export type Entry = Row & {
  records: Records
  given: Fields | undefined
  aside: boolean
  open: boolean
  pending: number
  headSize: number
}

const MOST_ENTRIES = 128
/** Characters of a row beyond which it is read again rather than kept. */
const LARGEST = 8_192

export type Hot = ReturnType<typeof createHot>

/** What one script touched. */
export type Touched = readonly string[]

/**
 * The rows that were written last. Here a write finds what the writes before it decided, durable or not, and the writes
 * of one script to one row become one statement. A row that was just written is the one most likely to be written next,
 * so it stays for a while. Rows that are only ever added go to `fresh` and do not stay.
 */
export const createHot = () => {
  const entries = new Map<string, Entry>()
  const fresh = createFresh()
  let touched: string[] = []
  let characters = 0
  /** What the change under way replaced, to be put back if it throws. */
  const undo: [string, Entry | undefined][] = []

  const evict = () => {
    for (const [name, entry] of entries) {
      if (entries.size <= MOST_ENTRIES || entry.pending > 0) return
      entries.delete(name)
      letGo(entry)
    }
  }

  return {
    fresh,
    get: (name: string): Entry | undefined => entries.get(name),
    /** How much text of details the open script will hold, at most. */
    get characters() {
      return characters
    },
    put: (name: string, records: Records, row: Row, was: Before): void => {
      const before = entries.get(name)
      undo.push([name, before])
      entries.set(name, entryOf(records, row, before, was))
      if (before?.open !== true) touched.push(name)
      characters += row.detailText?.length ?? 0
    },
    /** The change under way is decided. */
    accept: (): void => {
      for (const [, before] of undo) if (before !== undefined) letGo(before)
      undo.length = 0
      fresh.accept()
    },
    /** The change under way threw: forget what it put. */
    reject: (): void => {
      for (let last = undo.pop(); last; last = undo.pop()) {
        const [name, before] = last
        if (before === undefined) entries.delete(name)
        else entries.set(name, before)
        if (before?.open !== true) touched.pop()
      }
      fresh.reject()
    },
    /** Writes what was touched since the last time to the draft; returns it for `settle` once it is durable. */
    seal: (): Touched => {
      const names = touched
      touched = []
      characters = 0
      for (const name of names) write(entries.get(name))
      fresh.seal()
      return names
    },
    settle: (names: Touched): void => {
      fresh.settle()
      for (const name of names) {
        const entry = entries.get(name)
        if (entry === undefined) continue
        entry.pending -= 1
        if (
          entry.pending === 0 &&
          (entry.head === undefined || entry.headSize + entry.detailSize > LARGEST)
        ) {
          entries.delete(name)
          letGo(entry)
        }
      }
      evict()
    },
    /** Decisions that never became durable are void, and so is everything decided after them. */
    clear: (): void => {
      entries.clear()
      touched = []
      characters = 0
      undo.length = 0
      fresh.clear()
    },
  }
}

const entryOf = (records: Records, row: Row, before: Entry | undefined, was: Before): Entry => {
  const { at, head, detail, detailSize } = row
  const more = { records, at, head, detail, detailSize, open: true, headSize: 0 }
  if (before?.open) {
    const detailText = row.detailText ?? before.detailText
    return { ...more, detailText, given: before.given, aside: before.aside, pending: before.pending }
  }
  const { head: given, aside } = before ?? was
  return { ...more, detailText: row.detailText, given, aside, pending: (before?.pending ?? 0) + 1 }
}

/**
 * Empties an entry that is over. The map it was in grows and shrinks all the time, and its dead tables keep what they
 * held alive until the next full collection: that is to be little.
 */
const letGo = (entry: Entry) => {
  entry.head = entry.given = entry.detail = entry.detailText = undefined
}

const write = (entry: Entry | undefined) => {
  if (entry === undefined) return
  const { headSize, aside } = entry.records.write(entry)
  entry.headSize = headSize
  entry.aside = aside
  entry.given = entry.head
  entry.detailText = undefined
  entry.open = false
}
