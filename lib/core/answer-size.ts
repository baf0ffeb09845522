/** The most bytes of JSON that the rows of an answer may have. Lambda limits an answer to 6 MB. */
const MOST_BYTES = 3_000_000

/** The first rows that together fit an answer: always at least one. */
export const fitting = <R extends object>(rows: readonly R[]): R[] => {
  let bytes = 0
  const end = rows.findIndex((row, at) => {
    bytes += Buffer.byteLength(JSON.stringify(row))
    return at > 0 && bytes > MOST_BYTES
  })
  return end < 0 ? [...rows] : rows.slice(0, end)
}
