/** Bytes of JSON that the rows of an answer have: a function answers with 6 MB at most. */
const MOST_BYTES = 3_000_000

/** Of rows in their order those that fit an answer, one at least. */
export const fitting = <R extends object>(rows: readonly R[]): R[] => {
  let bytes = 0
  const end = rows.findIndex((row, at) => {
    bytes += Buffer.byteLength(JSON.stringify(row))
    return at > 0 && bytes > MOST_BYTES
  })
  return end < 0 ? [...rows] : rows.slice(0, end)
}
