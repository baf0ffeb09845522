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

/** The rows of one table that are at hand, by their names. */
export type Rows = Map<string, Entry>

/**
 * A row as the last decided write left it, and its record as the last sealed script left it: `given` is the head that
 * was written there, undefined when there is no record, and `aside` whether its detail lies in the table beside.
 * `pending` counts the scripts that change it and are not durable: until then readers see the file's state. `open` is
 * the script under construction among them.
 */
export type Entry = Row & {
  rows: Rows
  name: string
  records: RecordWriter
  given: Fields | undefined
  aside: boolean
  open: boolean
  pending: number
  headSize: number
  /** The head as readers get it, from the first of them on. */
  seen: Fields | undefined
}

/** Brings a record to what its entry says; returns how much text its head is, and where its detail lies now. */
export type RecordWriter = { write(entry: Entry): { headSize: number; aside: boolean } }

/** Where an entry belongs. */
export type Slot = Pick<Entry, 'rows' | 'name' | 'records'>

/** The entry of a row that was just written over the record that `was` there. */
export const entryOf = ({ rows, name, records }: Slot, row: Row, was: Before): Entry => {
  const { at, head, detail, detailSize, detailText } = row
  const { head: given, aside } = was
  const more = { given, aside, open: true, pending: 1, headSize: 0, seen: undefined }
  return { rows, name, records, at, head, detail, detailSize, detailText, ...more }
}

/** A row that is at hand was written again. */
export const renew = (entry: Entry, { at, head, detail, detailSize, detailText }: Row): void => {
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
export const letGo = (entry: Entry): void => {
  if (entry.rows.get(entry.name) === entry) entry.rows.delete(entry.name)
  entry.head = entry.given = entry.seen = entry.detail = entry.detailText = undefined
}

/** Writes an entry that changed to the script, and notes that it did. */
export const write = (entry: Entry): void => {
  const { headSize, aside } = entry.records.write(entry)
  entry.headSize = headSize
  entry.aside = aside
  entry.given = entry.head
  entry.detailText = undefined
  entry.open = false
}
