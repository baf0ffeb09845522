import type { Fields } from './change.ts'

/** Where a record lies: its `_rid`, or its key where rows lie in the order of their keys. */
export type Address = readonly (string | number)[]

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
  records: RecordWriter
  given: Fields | undefined
  aside: boolean
  open: boolean
  pending: number
  headSize: number
}

/** Brings a record to what its entry says; returns how much text its head is, and where its detail lies now. */
export type RecordWriter = { write(entry: Entry): { headSize: number; aside: boolean } }

/** The entry of a row that was just written over what `before` says, or over the record that `was` there. */
export const entryOf = (records: RecordWriter, row: Row, before: Entry | undefined, was: Before): Entry => {
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
export const letGo = (entry: Entry) => {
  entry.head = entry.given = entry.detail = entry.detailText = undefined
}

/** Writes an entry that changed to the script, and notes that it did. */
export const write = (entry: Entry | undefined) => {
  if (entry === undefined) return
  const { headSize, aside } = entry.records.write(entry)
  entry.headSize = headSize
  entry.aside = aside
  entry.given = entry.head
  entry.detailText = undefined
  entry.open = false
}
