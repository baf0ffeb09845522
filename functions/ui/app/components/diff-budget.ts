import type { DiffLine, FileDiff, Pair } from './diff-files.ts'
import { cutToWeight, layoutWeight } from './text-weight.ts'

/** So many files of a diff are listed at once. */
export const FILES_AT_ONCE = 500

/** So much of a line is shown: no person reads more of one. */
const LETTERS = 2_000
const WEIGHT = 4_000
export const startOfDiffLine = (text: string): string => cutToWeight(text, WEIGHT, LETTERS)

/** What a browser does for a line beside its text, and how often it lays out the text to find the width of all lines. */
const LINE = 400
const TIMES = 3
/** So much of a file is drawn at once, in some 30 ms: 400 lines of 50 letters of ASCII. */
const AT_ONCE = 220_000
/** So much of a diff is drawn at first. */
const AT_FIRST = 275_000

export const lineWeight = (line: DiffLine | undefined): number =>
  line === undefined ? 0 : LINE + TIMES * layoutWeight(startOfDiffLine(line.text))
export const pairWeight = ({ left, right }: Pair): number => lineWeight(left) + lineWeight(right)

/** Rows in pieces, each of which is drawn once, however many follow it. A piece has at least one row. */
export const splitByWeight = <Row>(
  rows: readonly Row[],
  getWeight: (row: Row) => number,
): (readonly Row[])[] => {
  const pieces: Row[][] = []
  let weight = 0
  for (const row of rows) {
    const own = getWeight(row)
    weight += own
    if (pieces.length === 0 || weight > AT_ONCE) {
      pieces.push([])
      weight = own
    }
    pieces.at(-1)?.push(row)
  }
  return pieces
}

/** The places of the files that are open at first: the first ones, until what is drawn of them weighs too much. */
export const openAtFirst = (files: readonly Pick<FileDiff, 'lines'>[]): ReadonlySet<number> => {
  const open = new Set<number>()
  let weight = 0
  for (const [at, file] of files.slice(0, FILES_AT_ONCE).entries()) {
    let own = 0
    for (const line of file.lines) {
      own += lineWeight(line)
      if (own > AT_ONCE) break
    }
    weight += Math.min(own, AT_ONCE)
    if (weight > AT_FIRST) break
    open.add(at)
  }
  return open
}
