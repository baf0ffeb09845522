import type { Fields } from './plan.ts'

/** Rows of a few lists. */
const MOST_ROWS = 512
/** The most characters of a row that is kept. */
const LONGEST = 8_192

/** Parses the text of a row's light fields. Its rows are frozen: they are shared. */
export type ParseRow = (text: string) => Readonly<Fields>

/** Parsed rows by their text: lists, reads and updates of one row see the same text again and again. */
export const createParsedRows = (): ParseRow => {
  const rows = new Map<string, Readonly<Fields>>()
  return (text) => {
    const known = rows.get(text)
    if (known !== undefined) return known
    const row = Object.freeze(JSON.parse(text))
    if (text.length > LONGEST) return row
    if (rows.size === MOST_ROWS) rows.clear()
    rows.set(text, row)
    return row
  }
}
