import { type Cost, costOf } from './markdown-cost.ts'

/** A part of a text: Markdown, or shown as it was written where parsing it would stop the page. */
type Piece = { readonly text: string; readonly isCostly: boolean }

/** A piece ends at the first place behind so many letters. */
const PIECE_LETTERS = 4_000
/** In the units of `Cost.parsing`: 0.4 s. */
const MOST_PARSING = 4_000_000
const MOST_MARKS = 15_000
const MOST_LETTERS = 50_000
/** So much is drawn at once, unless the first piece of it is more. */
const AT_ONCE = { letters: 50_000, parsing: 4_000_000, marks: 10_000 }

const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/
/** An item of a list that begins at the margin. One that is numbered 1 may stand in a list that counts by itself. */
const ITEM = /^(?:[-*+]|(?!0*1[.)])\d{1,9}[.)])[ \t]+\S/

/** The fence that is open after a line, where one was before or not. */
const fenceAfter = (open: string | undefined, line: string): string | undefined => {
  const [, marks, words = ''] = FENCE.exec(line) ?? []
  if (marks === undefined) return open
  if (open === undefined) return marks.startsWith('`') && words.includes('`') ? undefined : marks
  return marks[0] === open[0] && marks.length >= open.length && words.trim() === '' ? undefined : open
}

type Cut = { readonly lines: string[]; readonly prose: string[]; letters: number }

/**
 * A text in cuts that are parsed one by one, since the time for that grows with the square of lists. One begins with a
 * line at the margin behind an empty line, or with an item of a list, and never within a block of code.
 */
const cutsOf = (text: string): Cut[] => {
  const cuts: Cut[] = []
  let cut: Cut | undefined
  let fence: string | undefined
  let isAfterEmpty = false
  for (const line of text.split('\n')) {
    const isStart = fence === undefined && (ITEM.test(line) || (isAfterEmpty && /^\S/.test(line)))
    if (cut === undefined || (cut.letters >= PIECE_LETTERS && isStart)) {
      cut = { lines: [], prose: [], letters: 0 }
      cuts.push(cut)
    }
    cut.lines.push(line)
    cut.letters += line.length + 1
    fence = fenceAfter(fence, line)
    if (fence === undefined) cut.prose.push(line)
    isAfterEmpty = line.trim() === ''
  }
  return cuts
}

const DEFINITION = /^ {0,3}\[(?!\^)[^[\]\n]{1,200}\]:[ \t]*\S.{0,500}$/
const MOST_DEFINITIONS = 100

/** The lines that say where links by name lead to: a piece is parsed without those of the others. */
export const definitionsIn = (text: string): string => {
  const found: string[] = []
  let isAfterEmpty = true
  for (const line of text.split('\n')) {
    const isDefinition: boolean = isAfterEmpty && DEFINITION.test(line)
    if (isDefinition) found.push(line)
    isAfterEmpty = isDefinition || line.trim() === ''
  }
  return found.slice(0, MOST_DEFINITIONS).join('\n')
}

type Counted = Piece & Cost

const pieceOf = ({ lines, prose, letters }: Cut): Counted => {
  const cost = costOf(prose.join('\n'))
  const isCostly = letters > MOST_LETTERS || cost.parsing > MOST_PARSING || cost.marks > MOST_MARKS
  const spent = isCostly ? { parsing: 0, marks: 0 } : cost
  return { text: lines.join('\n'), isCostly, ...spent }
}

/** The pieces of a text in parts, each of which may be drawn at once. */
export const partsOf = (text: string): Piece[][] => {
  const parts: Piece[][] = []
  let [letters, parsing, marks] = [0, 0, 0]
  for (const piece of cutsOf(text).map(pieceOf)) {
    letters += piece.text.length
    parsing += piece.parsing
    marks += piece.marks
    const isTooMuch = letters > AT_ONCE.letters || parsing > AT_ONCE.parsing || marks > AT_ONCE.marks
    if (parts.length === 0 || isTooMuch) {
      parts.push([])
      ;[letters, parsing, marks] = [piece.text.length, piece.parsing, piece.marks]
    }
    parts.at(-1)?.push({ text: piece.text, isCostly: piece.isCostly })
  }
  return parts
}
