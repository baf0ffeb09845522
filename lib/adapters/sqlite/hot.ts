import type { Fields } from './change.ts'
import type { Address } from './records.ts'

/**
 * A row as the last decided write left it; `row` undefined stands for a removed one. `detail` is undefined when it was
 * not loaded. `pending` counts the writes of it that are not durable yet: until then readers see the file's state.
 */
export type Entry = {
  at: Address
  head: Fields | undefined
  detail: Fields | undefined
  size: number
  pending: number
}

const MOST_ENTRIES = 4_096
/** Characters of a row beyond which it is read again rather than kept. */
const LARGEST = 8_192

export type Hot = ReturnType<typeof createHot>

/**
 * The rows that were written last. Here a write finds what the writes before it decided, durable or not; a row that
 * was just written is the one most likely to be written next, so it stays for a while.
 */
export const createHot = (keep: (name: string) => boolean) => {
  let entries = new Map<string, Entry>()
  let touched: string[] = []
  /** What the change under way replaced, to be put back if it throws. */
  let undo: [string, Entry | undefined][] = []

  const evict = () => {
    for (const [name, { pending }] of entries) {
      if (entries.size <= MOST_ENTRIES || pending > 0) return
      entries.delete(name)
    }
  }

  return {
    get: (name: string): Entry | undefined => entries.get(name),
    put: (
      name: string,
      at: Address,
      head: Fields | undefined,
      detail: Fields | undefined,
      size: number,
    ): void => {
      const before = entries.get(name)
      undo.push([name, before])
      const entry = { at, head, detail, size, pending: (before?.pending ?? 0) + 1 }
      // Written last, evicted last.
      entries.delete(name)
      entries.set(name, entry)
      touched.push(name)
    },
    /** The change under way is decided. */
    accept: (): void => {
      undo = []
    },
    /** The change under way threw: forget what it put. */
    reject: (): void => {
      for (const [name, before] of undo.reverse()) {
        if (before === undefined) entries.delete(name)
        else entries.set(name, before)
        touched.pop()
      }
      undo = []
    },
    /** The names touched since the last time, for `settle` once they are durable. */
    seal: (): string[] => {
      const names = touched
      touched = []
      return names
    },
    settle: (names: readonly string[]): void => {
      for (const name of names) {
        const entry = entries.get(name)
        if (entry === undefined) continue
        entry.pending -= 1
        if (entry.pending > 0) continue
        if (entry.head === undefined || entry.size > LARGEST || !keep(name)) entries.delete(name)
      }
      evict()
    },
    /** Decisions that never became durable are void, and so is everything decided after them. */
    clear: (): void => {
      entries = new Map()
      touched = []
      undo = []
    },
  }
}
