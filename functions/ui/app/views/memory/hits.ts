import { termsOf } from '../../../../../lib/memory/terms.ts'

const WORD = /([\p{L}\p{N}\p{M}]+)/u
/** As in the search itself: shorter words are no beginning of others. */
const PREFIX_FROM = 3

export type Piece = { text: string; isHit: boolean; at: number }

/** A text in pieces: the words that the search looked for, and what is between them. */
export const piecesOf = (text: string, terms: readonly string[]): Piece[] => {
  const pieces: Piece[] = []
  let at = 0
  for (const part of text.split(WORD)) {
    const last = pieces.at(-1)
    const isHit = fits(part, terms)
    if (last?.isHit === isHit) last.text += part
    else if (part !== '') pieces.push({ text: part, isHit, at })
    at += part.length
  }
  return pieces
}

const fits = (part: string, terms: readonly string[]) =>
  termsOf(part).some((term) =>
    terms.some((asked) => term === asked || (asked.length >= PREFIX_FROM && term.startsWith(asked))),
  )
