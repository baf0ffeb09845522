import type { FileDiff } from './diff-files.ts'

/** So many lines of a file are drawn at once. */
export const LINES_AT_ONCE = 400
/** So many files of a diff are listed at once. */
export const FILES_AT_ONCE = 500
/** So many lines of a diff are drawn at first: the page answers again within 50 ms. */
const LINES_AT_FIRST = 500

/** The places of the files that are open at first: the first ones, until their lines are as many as are drawn at once. */
export const openAtFirst = (files: readonly Pick<FileDiff, 'lines'>[]): ReadonlySet<number> => {
  const open = new Set<number>()
  let lines = 0
  for (const [at, file] of files.slice(0, FILES_AT_ONCE).entries()) {
    lines += Math.min(file.lines.length, LINES_AT_ONCE)
    if (lines > LINES_AT_FIRST) break
    open.add(at)
  }
  return open
}

/** Rows in pieces, each of which is drawn once, however many follow it. */
export const piecesOf = <Row>(rows: readonly Row[]): (readonly Row[])[] =>
  Array.from({ length: Math.ceil(rows.length / LINES_AT_ONCE) }, (_, n) =>
    rows.slice(n * LINES_AT_ONCE, (n + 1) * LINES_AT_ONCE),
  )
