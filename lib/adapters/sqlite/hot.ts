import { type Before, type Entry, entryOf, letGo, type RecordWriter, type Row, write } from './entry.ts'
import { createFresh } from './fresh.ts'

/** Whoever made a task asks for it soon, and again until it is over; so many cost a few MB. */
const MOST_ENTRIES = 512
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
    put: (name: string, records: RecordWriter, row: Row, was: Before): void => {
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
