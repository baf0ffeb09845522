import {
  type Before,
  type Entry,
  entryOf,
  letGo,
  type Row,
  type Rows,
  renew,
  type Slot,
  write,
} from './entry.ts'
import { createFresh } from './fresh.ts'

/**
 * Whoever made a task asks for it soon. More would outlive the young generation, and what that has to move costs every
 * task more than a read costs those who ask.
 */
const MOST_ENTRIES = 64
/** Characters of a row beyond which it is read again rather than kept. */
const LARGEST = 8_192

export type Hot = ReturnType<typeof createHot>

/** What one script touched. */
export type Touched = readonly Entry[]

/**
 * The rows that were written last. Here a write finds what the writes before it decided, durable or not, and the writes
 * of one script to one row become one statement. A row that was just written is the one most likely to be written next,
 * so it stays for a while. Rows that are only ever added go to `fresh` and do not stay.
 */
export const createHot = () => {
  const tables: Rows[] = []
  const fresh = createFresh()
  let touched: Entry[] = []
  let characters = 0
  /** What the change under way replaced, to be put back if it throws. */
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
    fresh,
    /** Room for the rows of one more table. */
    rows: (): Rows => {
      const rows: Rows = new Map()
      tables.push(rows)
      return rows
    },
    /** About how much text of details and added rows the open script will hold. */
    get characters() {
      return characters + fresh.characters
    },
    /** Takes in a row as it was just written, over what `known` says, or over the record that `was` there. */
    put: (slot: Slot, known: Entry | undefined, row: Row, was: Before): void => {
      if (known === undefined) {
        const entry = entryOf(slot, row, was)
        slot.rows.set(slot.name, entry)
        note(entry, undefined)
      } else {
        note(known, { ...known })
        renew(known, row)
      }
      characters += row.detailText?.length ?? 0
    },
    /** The change under way is decided. */
    accept: (): void => {
      undo.length = 0
      fresh.accept()
    },
    /** The change under way threw: forget what it put. */
    reject: (): void => {
      for (let last = undo.pop(); last; last = undo.pop()) {
        const { entry, before } = last
        if (before?.open !== true) touched.pop()
        if (before === undefined) letGo(entry)
        else Object.assign(entry, before)
      }
      fresh.reject()
    },
    /** Writes what was touched since the last time to the draft; returns it for `settle` once it is durable. */
    seal: (): Touched => {
      const entries = touched
      touched = []
      characters = 0
      // What was added may have been changed since.
      fresh.seal()
      for (const entry of entries) write(entry)
      return entries
    },
    settle: (entries: Touched): void => {
      fresh.settle()
      for (const entry of entries) {
        entry.pending -= 1
        if (entry.pending === 0 && isNotWorthIt(entry)) letGo(entry)
      }
      evict()
    },
    /** Decisions that never became durable are void, and so is everything decided after them. */
    clear: (): void => {
      for (const rows of tables) rows.clear()
      touched = []
      characters = 0
      undo.length = 0
      fresh.clear()
    },
  }
}

const isNotWorthIt = ({ head, headSize, detailSize }: Entry): boolean =>
  head === undefined || headSize + detailSize > LARGEST

/** The oldest row of a table that nobody waits for. */
const oldestOf = (rows: Rows): Entry | undefined => {
  for (const entry of rows.values()) if (entry.pending === 0) return entry
  return undefined
}
