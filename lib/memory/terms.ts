/** Scripts that are written without spaces between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Khmer}\p{Script=Lao}]/u
const WORD = /[\p{L}\p{N}\p{M}]+/gu
/** A name in code as well: words with `_` or `$` between them. */
const NAME = /[\p{L}\p{N}\p{M}_$]+/gu
/** Where a name goes on with its next word: `readFile`, `HTTPServer`, `snake_case`. */
const SEAM = /[_$]+|(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u
/** Most words: there is nothing to fold or to split. */
const PLAIN_WORD = /^[a-z]+$/
const LONGEST_TERM = 64
/** Letters that Unicode does not take for another with a mark. */
const PLAIN: Readonly<Record<string, string>> = { ß: 'ss', ł: 'l', ø: 'o', đ: 'd', æ: 'ae', œ: 'oe', ı: 'i' }

const withoutMarks = (text: string) => text.normalize('NFKD').replace(/\p{M}+/gu, '')

/** Letters as they are compared: without case, accents and other forms of the same letter. */
const folded = (text: string) =>
  withoutMarks(text)
    .toLowerCase()
    .replace(/[ßłøđæœı]/g, (letter) => PLAIN[letter] ?? letter)

/** The words of a text as they are searched for; of scripts without spaces, every two letters that are neighbours. */
export const termsOf = (text: string): string[] =>
  [...folded(text).matchAll(WORD)].flatMap(([word]) =>
    UNSPACED.test(word) ? pairsOf([...word]) : [word.slice(0, LONGEST_TERM)],
  )

/** A word of a text. One that is a name in code of several words has those as its `parts`, and is written without seams. */
export type Word = { term: string; parts: readonly string[] }

/** The words of a text, names in code both whole and split. */
export const wordsOf = (text: string): Word[] =>
  [...withoutMarks(text).matchAll(NAME)].flatMap(([name]) =>
    PLAIN_WORD.test(name) ? [{ term: name.slice(0, LONGEST_TERM), parts: [] }] : splitName(name),
  )

const splitName = (name: string): Word[] => {
  const parts = termsOf(name.split(SEAM).join(' '))
  if (parts.length < 2 || UNSPACED.test(name)) return parts.map((term) => ({ term, parts: [] }))
  return [{ term: parts.join('').slice(0, LONGEST_TERM), parts }]
}

const pairsOf = (letters: readonly string[]): string[] =>
  letters.length === 1 ? [...letters] : letters.slice(1).map((letter, n) => `${letters[n]}${letter}`)
