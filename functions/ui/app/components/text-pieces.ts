import { createWeigher } from './text-weight.ts'

/** A piece takes a browser half a millisecond. Some twenty lines of ASCII weigh so much. */
const PIECE_WEIGHT = 2_400
/** A line that weighs more is cut. */
const LINE_WEIGHT = 8_000
/** As is a line of more letters, since browsers need a time for it that is quadratic in its length in some scripts. */
const LINE_LETTERS = 2_000

/**
 * A text in pieces that are drawn as blocks. A piece ends with a line, whose line break is left out, since a block makes one;
 * it stays where the block would lose an empty line. Only a line that is too long is several pieces: a cut shows, and is in what
 * is copied.
 */
export const linePieces = (text: string): string[] => {
  const pieces: string[] = []
  let at = 0
  while (at < text.length) {
    const end = endOfPiece(text, at)
    const next = text[end] === '\n' ? end + 1 : end
    const isLost = end === at || text[end - 1] === '\n'
    pieces.push(text.slice(at, isLost ? next : end))
    at = next
  }
  return pieces.length === 0 ? [text] : pieces
}

/** A piece has as many lines as fit, or one that is long, or what fits of one that is too long. */
const endOfPiece = (text: string, from: number): number => {
  const weigh = createWeigher()
  let weight = 0
  let line: number | undefined
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === NEW_LINE) {
      if (weight > PIECE_WEIGHT) return line ?? at
      line = at
    }
    weight += weigh(code)
    if (line !== undefined && weight > PIECE_WEIGHT) return line
    const isTooLong = weight > LINE_WEIGHT || at - from >= LINE_LETTERS
    if (line === undefined && isTooLong) return withinLine(text, from, at)
  }
  return text.length
}
const NEW_LINE = 10

/** Where a line is cut that is too long: behind a blank where one is near. */
const withinLine = (text: string, from: number, most: number): number => {
  const near = Math.max(from, most - NEAR_LETTERS)
  const blank = text.slice(near, most).lastIndexOf(' ')
  return blank === -1 ? wholeCharacter(text, most) : near + blank + 1
}
const NEAR_LETTERS = 200

/** The next place that is not within a character: between its halves, or before marks that belong to it. */
const wholeCharacter = (text: string, at: number): number => {
  let end = at
  while (end < text.length && end < at + MOST_MARKS && CONTINUES.test(text.slice(end, end + 2))) end += 1
  return end
}
const MOST_MARKS = 20
const CONTINUES = /^(?:[\uDC00-\uDFFF]|\p{M}|\u200D)/u
