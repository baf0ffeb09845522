/** A browser lays out this many characters of any script in a few milliseconds. */
export const PIECE_LETTERS = 1_000
/** An empty line costs it as much as some ten letters. */
const PIECE_LINES = 40
/** A line of more letters is cut, since browsers need a time for it that is quadratic in its length in some scripts. */
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
  let end = endOfLine(text, from)
  if (end === undefined) return withinLine(text, from)
  for (let lines = 1; lines < PIECE_LINES && end < text.length; lines += 1) {
    const next = endOfLine(text, end + 1)
    if (next === undefined || next - from > PIECE_LETTERS) return end
    end = next
  }
  return end
}

/** The end of the line that begins at a place; undefined where it is too long. */
const endOfLine = (text: string, from: number): number | undefined => {
  const ahead = text.slice(from, from + LINE_LETTERS)
  const end = ahead.indexOf('\n')
  if (end >= 0) return from + end
  return from + ahead.length === text.length ? text.length : undefined
}

/** Where a line is cut that is too long: behind a blank where one is near. */
const withinLine = (text: string, from: number): number => {
  const most = from + LINE_LETTERS
  const blank = text.slice(most - NEAR_LETTERS, most).lastIndexOf(' ')
  return blank === -1 ? wholeCharacter(text, most) : most - NEAR_LETTERS + blank + 1
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
