/** A browser lays out so many letters in a few milliseconds, whatever their script. */
const PIECE_LETTERS = 1_000
/** An empty line costs it as much as some ten letters. */
const PIECE_LINES = 40

/**
 * A text in pieces that are drawn as blocks. A piece ends with a line, whose line break is left out, since a block makes one;
 * it stays where the block would lose an empty line. A line of more letters is several pieces.
 */
export const linePieces = (text: string): string[] => {
  const pieces: string[] = []
  let at = 0
  while (at < text.length) {
    const most = endOfPiece(text, at)
    const line = most < text.length ? text.lastIndexOf('\n', most) : -1
    const end = line >= at ? line : wholeCharacter(text, most)
    const next = line >= at ? line + 1 : end
    const isLost = end === at || text[end - 1] === '\n'
    pieces.push(text.slice(at, isLost ? next : end))
    at = next
  }
  return pieces.length === 0 ? [text] : pieces
}

const endOfPiece = (text: string, from: number): number => {
  const most = Math.min(text.length, from + PIECE_LETTERS)
  let at = from
  for (let lines = 0; lines < PIECE_LINES; lines += 1) {
    const end = text.indexOf('\n', at)
    if (end === -1 || end >= most) return most
    at = end + 1
  }
  return at - 1
}

/** The next place that is not within a character: between its halves, or before marks that belong to it. */
const wholeCharacter = (text: string, at: number): number => {
  let end = at
  while (end < text.length && end < at + MOST_MARKS && CONTINUES.test(text.slice(end, end + 2))) end += 1
  return end
}
const MOST_MARKS = 20
const CONTINUES = /^(?:[\uDC00-\uDFFF]|\p{M}|\u200D)/u
