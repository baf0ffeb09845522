import type { Fields } from './change.ts'
import { createFresh } from './fresh.ts'
import type { Address } from './records.ts'

/**
 * A row as the last decided write left it; `head` undefined stands for a removed one. `detail` is undefined when it was
 * not loaded. `pending` counts the writes of it that are not durable yet: until then readers see the file's state.
 */
export type Entry = {
  at: Address
  head: Fields | undefined
  detail: Fields | undefined
  headSize: number
  detailSize: number
  pending: number
}

const MOST_ENTRIES = 256
/** Characters of a row beyond which it is read again rather than kept. */
const LARGEST = 8_192

export type Hot = ReturnType<typeof createHot>

/** What one script touched. */
export type Touched = readonly string[]

/**
 * The rows that were written last. Here a write finds what the writes before it decided, durable or not; a row that
 * was just written is the one most likely to be written next, so it stays for a while. Rows that are only ever added
 * go to `fresh` and do not stay.
 */
export const createHot = () => {
  const entries = new Map<string, Entry>()
  const fresh = createFresh()
  let touched: string[] = []
  /** What the change under way replaced, to be put back if it throws. */
  const undo: [string, Entry | undefined][] = []

  const evict = () => {
    for (const [name, { pending }] of entries) {
      if (entries.size <= MOST_ENTRIES || pending > 0) return
      entries.delete(name)
    }
  }

  return {
    fresh,
    get: (name: string): Entry | undefined => entries.get(name),
    put: (name: string, row: Omit<Entry, 'pending'>): void => {
      const before = entries.get(name)
      undo.push([name, before])
      // Written last, evicted last.
      if (before !== undefined) entries.delete(name)
      entries.set(name, { ...row, pending: (before?.pending ?? 0) + 1 })
      touched.push(name)
    },
    /** The change under way is decided. */
    accept: (): void => {
      undo.length = 0
      fresh.accept()
    },
    /** The change under way threw: forget what it put. */
    reject: (): void => {
      for (let last = undo.pop(); last; last = undo.pop()) {
        const [name, before] = last
        if (before === undefined) entries.delete(name)
        else entries.set(name, before)
        touched.pop()
      }
      fresh.reject()
    },
    /** What was touched since the last time, for `settle` once it is durable. */
    seal: (): Touched => {
      const names = touched
      touched = []
      fresh.seal()
      return names
    },
    settle: (names: Touched): void => {
      fresh.settle()
      for (const name of names) {
        const entry = entries.get(name)
        if (entry === undefined) continue
        entry.pending -= 1
        if (entry.pending === 0 && (entry.head === undefined || entry.headSize + entry.detailSize > LARGEST))
          entries.delete(name)
      }
      evict()
    },
    /** Decisions that never became durable are void, and so is everything decided after them. */
    clear: (): void => {
      entries.clear()
      touched = []
      undo.length = 0
      fresh.clear()
    },
  }
}
