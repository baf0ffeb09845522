import { indexedAs, splitWords } from '../../../../../lib/memory/words.ts'

const WORD = /([\p{L}\p{N}\p{M}_$]+)/u

export type Piece = { text: string; isHit: boolean; at: number }

/** Splits a text into words that match the search terms and the text in between. */
export const splitHits = (text: string, terms: readonly string[]): Piece[] => {
  if (terms.length === 0) return [{ text, isHit: false, at: 0 }]
  const found = new Set(terms)
  const isFound = (part: string) =>
    splitWords(part)
      .flatMap(indexedAs)
      .some((term) => found.has(term))
  const pieces: Piece[] = []
  let at = 0
  for (const part of text.split(WORD)) {
    const last = pieces.at(-1)
    const isHit = isFound(part)
    if (last?.isHit === isHit) last.text += part
    else if (part !== '') pieces.push({ text: part, isHit, at })
    at += part.length
  }
  return pieces
}

/** One entry per word, in its last spelling in the text. */
export const foundIn = (text: string, terms: readonly string[]): string[] => [
  ...new Map(
    splitHits(text, terms).flatMap(({ text: piece, isHit }) =>
      isHit ? [[splitWords(piece).flatMap(indexedAs).join(' '), piece] as const] : [],
    ),
  ).values(),
]
