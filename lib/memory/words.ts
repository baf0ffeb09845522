import { stemmer } from 'stemmer'
import { cutText } from '../core/cut-text.ts'
import { getOrCreate } from '../core/get-or-create.ts'

/** Scripts without spaces between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Khmer}\p{Script=Lao}]/u
const WORD = /[\p{L}\p{N}\p{M}]+/gu
/** A word, or a name in code: words with `_` or `$` between them. */
const NAME = /[\p{L}\p{N}\p{M}_$]+/gu
/** The seams between the words of a name: `readFile`, `HTTPServer`, `snake_case`. */
const SEAM = /[_$]+|(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u
/** Most words need neither folding nor splitting. */
const PLAIN_WORD = /^[a-z]+$/
const LONGEST_TERM = 64
/** Letters that Unicode does not decompose. */
const PLAIN: Readonly<Record<string, string>> = { ß: 'ss', ł: 'l', ø: 'o', đ: 'd', æ: 'ae', œ: 'oe', ı: 'i' }

const withoutMarks = (text: string) => text.normalize('NFKD').replace(/\p{M}+/gu, '')

/** Letters for comparison: without case, accents and variants. */
const foldedLetters = (text: string) =>
  withoutMarks(text)
    .toLowerCase()
    .replace(/[ßłøđæœı]/g, (letter) => PLAIN[letter] ?? letter)

/** The words of a text; for scripts without spaces, every pair of neighbouring letters. */
const splitTerms = (text: string): string[] =>
  [...foldedLetters(text).matchAll(WORD)].flatMap(([word]) =>
    UNSPACED.test(word) ? letterPairs([...word]) : [cutText(word, LONGEST_TERM)],
  )

/** A word of a text. A name in code of several words has them as its `parts`, and is written without seams. */
export type Word = { term: string; parts: readonly string[] }

/** The words of a text, with names in code both whole and split. */
export const splitWords = (text: string): Word[] =>
  [...withoutMarks(text).matchAll(NAME)].flatMap(([name]) =>
    PLAIN_WORD.test(name) ? [{ term: cutText(name, LONGEST_TERM), parts: [] }] : splitName(name),
  )

const splitName = (name: string): Word[] => {
  const parts = splitTerms(name.split(SEAM).join(' '))
  if (parts.length < 2 || UNSPACED.test(name)) return parts.map((term) => ({ term, parts: [] }))
  return [{ term: cutText(parts.join(''), LONGEST_TERM), parts }]
}

const letterPairs = (letters: readonly string[]): string[] =>
  letters.length === 1 ? [...letters] : letters.slice(1).map((letter, n) => `${letters[n]}${letter}`)

/** Function words of English: they are not the subject of a question. */
const FUNCTION_WORDS: ReadonlySet<string> = new Set(
  `a about after all also am an and any anybody anyone anything are as at be because been before being between both but by can
  cannot could did do does doing don done during each either else etc ever every everybody everything few for from further
  get gets got had has have having he her here hers him his how however i if in into is isn it its itself just let like
  many may me might mine more most much must my myself need needs no nor not now of off on once one only or other
  our ours out over own please same shall she should so some somebody someone something such than that the their theirs them
  then there these they thing things this those through to too under until up upon us use used uses using very want
  wants was way we were what when where whether which while who whom whose why will with within without would yes you your
  yours s t d ll m re ve`.split(/\s+/),
)

export const isFunctionWord = (term: string): boolean => FUNCTION_WORDS.has(term)

const ENGLISH = /^[a-z]{3,}$/
const MOST_STEMS = 100_000
const stems = new Map<string, string>()

/** The stem of a word by the algorithm of Porter (1980); words of other alphabets stay unchanged. */
export const wordStem = (term: string): string => {
  if (!ENGLISH.test(term)) return term
  if (stems.size >= MOST_STEMS) stems.clear()
  return getOrCreate(stems, term, stemmer)
}

/** The index terms of a word: its stem, or for a name in code the whole name and the stems of its words. */
export const indexedAs = ({ term, parts }: Word): string[] =>
  parts.length === 0 ? [wordStem(term)] : [term, ...parts.map(wordStem)]
