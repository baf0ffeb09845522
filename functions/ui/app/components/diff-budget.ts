import type { DiffLine, FileDiff, Pair } from '../../../../lib/core/diff-files.ts'
import { cutToWeight, layoutWeight } from './text-weight.ts'

export const FILES_AT_ONCE = 500

const LETTERS = 2_000
const WEIGHT = 4_000
export const startOfDiffLine = (text: string): string => cutToWeight(text, WEIGHT, LETTERS)

/** Layout cost of a line without its text, and the number of layout passes over its text. */
const LINE = 400
const TIMES = 3
/** The weight that is rendered in one step, about 15 ms: 200 lines of 50 characters of ASCII. */
export const AT_ONCE = 110_000
/** The weight of the files that are expanded at first. */
export const AT_FIRST = 275_000

export const lineWeight = (line: DiffLine | undefined): number =>
  line === undefined ? 0 : LINE + TIMES * layoutWeight(startOfDiffLine(line.text))
/** A hunk header or a note is one line across both sides. */
export const pairWeight = ({ left, right }: Pair): number =>
  left === right && left?.kind !== 'same' ? lineWeight(left) : lineWeight(left) + lineWeight(right)

/** The first chunks, which are rendered separately. A chunk has at least one row. */
export const splitByWeight = <Row>(
  rows: Iterable<Row>,
  getWeight: (row: Row) => number,
  most = Number.POSITIVE_INFINITY,
): (readonly Row[])[] => {
  const pieces: Row[][] = []
  let weight = 0
  for (const row of rows) {
    const own = getWeight(row)
    weight += own
    if (pieces.length === 0 || weight > AT_ONCE) {
      if (pieces.length === most) break
      pieces.push([])
      weight = own
    }
    pieces.at(-1)?.push(row)
  }
  return pieces
}

/** Indexes of the first files, up to a total weight. Unchanged lines are rendered twice side by side. */
export const filesWithin = (
  most: number,
  files: readonly Pick<FileDiff, 'lines'>[],
  isSplit = false,
): ReadonlySet<number> => {
  const open = new Set<number>()
  let weight = 0
  for (const [at, file] of files.slice(0, FILES_AT_ONCE).entries()) {
    let own = 0
    for (const line of file.lines) {
      own += lineWeight(line) * (isSplit && line.kind === 'same' ? 2 : 1)
      if (own > AT_ONCE) break
    }
    weight += Math.min(own, AT_ONCE)
    if (weight > most) break
    open.add(at)
  }
  return open
}
