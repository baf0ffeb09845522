import type { Fields } from './plan.ts'

/** Rows of a few lists. */
const MOST_ROWS = 512
/** The most characters of a row that is kept. */
const LONGEST = 8_192

/** Parses the text of a row's light fields. Its rows are frozen: they are shared. */
export type ParseRow = (text: string) => Readonly<Fields>

const deepFrozen = <T>(value: T): T => {
  if (typeof value !== 'object' || value === null) return value
  for (const part of Object.values(value)) deepFrozen(part)
  return Object.freeze(value)
}

/** Parsed rows by their text: lists and reads of one row see the same text again and again. */
export const createParsedRows = (): ParseRow => {
  const rows = new Map<string, Readonly<Fields>>()
  return (text) => {
    const known = rows.get(text)
    if (known !== undefined) return known
    const row: Fields = deepFrozen(JSON.parse(text))
    if (text.length > LONGEST) return row
    if (rows.size === MOST_ROWS) rows.clear()
    rows.set(text, row)
    return row
  }
}
