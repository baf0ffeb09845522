/** Scripts that are written without spaces between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Khmer}\p{Script=Lao}]/u
const WORD = /[\p{L}\p{N}\p{M}]+/gu
const LONGEST_TERM = 64

/** Letters as they are compared: without case, accents and other forms of the same letter. */
const folded = (text: string) =>
  text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replaceAll('ß', 'ss')

/** The words of a text as they are searched for; of scripts without spaces, every two letters that are neighbours. */
export const termsOf = (text: string): string[] =>
  [...folded(text).matchAll(WORD)].flatMap(([word]) =>
    UNSPACED.test(word) ? pairsOf([...word]) : [word.slice(0, LONGEST_TERM)],
  )

const pairsOf = (letters: readonly string[]): string[] =>
  letters.length === 1 ? [...letters] : letters.slice(1).map((letter, n) => `${letters[n]}${letter}`)
