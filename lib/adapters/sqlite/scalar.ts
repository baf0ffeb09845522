/** A JSON scalar as SQLite holds it: SQLite knows no booleans, and absent is NULL. */
export type Cell = string | number | null

/** Throws TypeError for what has no order: an index over lists or objects would be a silent lie. */
export const cell = (value: unknown, field: string): Cell => {
  if (typeof value === 'string' || typeof value === 'number') return value
  if (value === undefined || value === null) return null
  if (typeof value === 'boolean') return value ? 1 : 0
  throw new TypeError(`${field} must be a text, a number or a boolean to be indexed or compared`)
}
