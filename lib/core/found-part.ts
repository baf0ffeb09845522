import { shortenedText, textTail } from './cut-text.ts'
import { fold } from './fold.ts'

const BEFORE = 40
const LONGEST = 160

/** Where in a text its folded form has a place: folding makes two characters of some. */
const unfoldedPlace = (text: string, folded: string, place: number): number => {
  if (folded.length === text.length) return place
  let at = 0
  let passed = 0
  for (const character of text) {
    if (passed >= place) break
    passed += fold(character).length
    at += character.length
  }
  return at
}

const inOneLine = (text: string) => text.replaceAll(/\s+/gu, ' ')

/** The end of a word that the cut has split. A longer word stays split. */
const REST_OF_WORD = /^\S{1,16}\s+/u

const textBefore = (text: string, place: number): string => {
  const before = textTail(text.slice(0, place), BEFORE)
  const isCutInWord = place > BEFORE && /\S/u.test(text.charAt(place - before.length - 1))
  return isCutInWord ? before.replace(REST_OF_WORD, '') : before
}

const partAround = (text: string, place: number): string => {
  const before = inOneLine(textBefore(text, place)).trimStart()
  const from = inOneLine(shortenedText(text.slice(place), LONGEST - BEFORE)).trimEnd()
  return `${place > BEFORE ? '…' : ''}${before}${from}`
}

/**
 * Of named texts the first with the most of the words, and its part around the first of these, in one line. Undefined where
 * no text has any.
 */
export const foundPart = (
  texts: readonly (readonly [name: string, text: string])[],
  words: readonly string[],
): { in: string; text: string } | undefined => {
  const wanted = words.map(fold)
  let best: { name: string; text: string; folded: string; count: number } | undefined
  for (const [name, text] of texts) {
    const folded = fold(text)
    const count = wanted.filter((word) => folded.includes(word)).length
    if (count > (best?.count ?? 0)) best = { name, text, folded, count }
  }
  if (best === undefined) return undefined
  const { name, text, folded } = best
  const places = wanted.map((word) => folded.indexOf(word)).filter((place) => place >= 0)
  return { in: name, text: partAround(text, unfoldedPlace(text, folded, Math.min(...places))) }
}
