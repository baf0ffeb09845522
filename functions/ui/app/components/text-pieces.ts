import { createWeigher } from './text-weight.ts'

/** Layout of a piece takes half a millisecond: about twenty lines of ASCII. */
const PIECE_WEIGHT = 2_400
const LINE_WEIGHT = 8_000
/** Layout is quadratic in the length of a line in some scripts. */
const LINE_LETTERS = 2_000

/**
 * Splits a text into pieces that are rendered as blocks. A piece ends at a line break, which is dropped because the block adds one; it is
 * kept where an empty line would be lost. Only lines that are too long are split within, since such a cut shows in copied text.
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

/** After a blank near the limit, if there is one. */
const withinLine = (text: string, from: number, most: number): number => {
  const near = Math.max(from, most - NEAR_LETTERS)
  const blank = text.slice(near, most).lastIndexOf(' ')
  return blank === -1 ? wholeCharacter(text, most) : near + blank + 1
}
const NEAR_LETTERS = 200

/** Avoids splitting surrogate pairs and combining marks. */
const wholeCharacter = (text: string, at: number): number => {
  let end = at
  while (end < text.length && end < at + MOST_MARKS && CONTINUES.test(text.slice(end, end + 2))) end += 1
  return end
}
const MOST_MARKS = 20
const CONTINUES = /^(?:[\uDC00-\uDFFF]|\p{M}|\u200D)/u
