import MiniSearch, { type AsPlainObject, type Options } from 'minisearch'
import { createVocabulary } from './vocabulary.ts'
import { indexedAs, isFunctionWord, stemOf, type Word, wordsOf } from './words.ts'

/** Something to be found by words, in its title and its place more than in its text. */
export type Searched = { id: string; title: string; place: string; text: string }
/** `terms` are what the text is indexed under of what was asked for. */
export type Hit = { id: string; score: number; terms?: readonly string[] }
/** An index as plain data, to be stored and opened again by the same code. */
export type SavedLexical = { index: AsPlainObject; words: readonly string[] }

/**
 * More words of a question than this are not looked for, and of more unknown ones none is guessed. A name in code has words of
 * its own: those are looked for as well, up to so many lookups and guesses in all, which take some tens of milliseconds.
 */
const MOST_TERMS = 48
const MOST_GUESSED = 12
const MOST_LOOKUPS = 96
const MOST_GUESSES = 24
const BOOST = { title: 2, place: 1, text: 1 }
/** Above 1, all words of a question weigh more than one of them often. */
const SHARE = 2
/** How much of what a text lacks of the question is made up for by a title that the question names whole. */
const TITLE_ASKED_FOR = 0.3
/** What the words of a name in code count for where the whole name is known, and where it is not. */
const PARTS_OF_KNOWN = 0.1
const PARTS_OF_UNKNOWN = 0.5

/** What documents say of a word, by id, and under which term each of them has it. */
type Scores = { by: ReadonlyMap<string, number>; termOf: (id: string) => string }
type Lookup = Scores & { weight: number }

export type Lexical = ReturnType<typeof createLexical>

/**
 * Search by words (BM25+), kept up to date as texts come and go. Nothing of a question ever becomes a pattern. An index that
 * was saved is opened in a fraction of the time that it takes to build.
 */
export const createLexical = (documents: Iterable<Searched> = [], saved?: SavedLexical) => {
  const vocabulary = createVocabulary(saved?.words)
  const options: Options<Searched> = {
    fields: ['title', 'place', 'text'],
    storeFields: ['title'],
    tokenize: (text) => {
      const terms: string[] = []
      for (const word of wordsOf(text)) {
        vocabulary.add(word.term)
        for (const part of word.parts) vocabulary.add(part)
        terms.push(...indexedAs(word))
      }
      return terms
    },
    processTerm: (term) => term,
    searchOptions: { bm25: { k: 1.2, b: 0.4, d: 0.5 }, tokenize: (term) => [term], boost: BOOST },
  }
  const index = saved ? MiniSearch.loadJS<Searched>(saved.index, options) : new MiniSearch<Searched>(options)
  const titles = new Map<string, readonly string[]>()
  const termsOfTitle = (id: string): readonly string[] => {
    const known = titles.get(id)
    if (known !== undefined) return known
    const terms = contentTerms(String(index.getStoredFields(id)?.title))
    titles.set(id, terms)
    return terms
  }
  const add = (document: Searched): void => {
    titles.delete(document.id)
    index.add(document)
  }
  for (const document of documents) add(document)

  /** What documents say of a term: BM25 scores by id. */
  const scoresOf = (term: string): Scores => {
    const by = new Map<string, number>()
    for (const { id, score } of index.search(term)) by.set(id, score)
    return { by, termOf: () => term }
  }

  /** A word that no text has stands for those that may have been meant. */
  const guessed = (word: string): Scores => {
    const best = new Map<string, number>()
    const terms = new Map<string, string>()
    for (const { term, weight } of vocabulary.meantBy(word))
      for (const [id, score] of scoresOf(term).by)
        if (weight * score > (best.get(id) ?? 0)) {
          best.set(id, weight * score)
          terms.set(id, term)
        }
    return { by: best, termOf: (id) => terms.get(id) ?? word }
  }

  const scoresOfPlain = (term: string, mayGuess: () => boolean): Scores => {
    const stem = stemOf(term)
    const known = scoresOf(stem)
    // Names in code are kept without their seams, and not stemmed.
    const found = known.by.size > 0 || stem === term ? known : scoresOf(term)
    return found.by.size > 0 || !mayGuess() ? found : guessed(term)
  }

  /** What is looked for on behalf of a word, and how much each counts. */
  const lookupsOf = function* ({ term, parts }: Word, mayGuess: () => boolean): Generator<Lookup> {
    if (parts.length === 0) return yield { ...scoresOfPlain(term, mayGuess), weight: 1 }
    const known = scoresOf(term)
    const whole = known.by.size > 0 || !mayGuess() ? known : guessed(term)
    yield { ...whole, weight: 1 }
    const weight = (known.by.size > 0 ? PARTS_OF_KNOWN : PARTS_OF_UNKNOWN) / parts.length
    for (const part of parts.filter((each) => !isFunctionWord(each)))
      yield { ...scoresOfPlain(part, () => whole.by.size === 0 && mayGuess()), weight }
  }

  const lookupsFor = (words: readonly Word[]): Lookup[] => {
    const found: Lookup[] = []
    let guesses = 0
    for (const [n, word] of words.entries())
      for (const lookup of lookupsOf(word, () => n < MOST_GUESSED && guesses++ < MOST_GUESSES)) {
        found.push(lookup)
        if (found.length >= MOST_LOOKUPS) return found
      }
    return found
  }

  return {
    add,
    has: (id: string): boolean => index.has(id),
    save: (): SavedLexical => ({ index: index.toJSON(), words: vocabulary.words() }),
    remove: (id: string): void => {
      titles.delete(id)
      if (index.has(id)) index.discard(id)
    },
    /** The best first, those with a score of at least `least`. Scores are from 0 to 1, and do not depend on other hits. */
    search: (question: string, most: number, least = 0): Hit[] => {
      const words = askedFor(question)
      const looked = lookupsFor(words)
      const found = new Map<string, { sum: number; said: number }>()
      let asked = 0
      for (const { by, weight } of looked) {
        const says = weight * rarity(by.size, index.documentCount)
        asked += says
        for (const [id, score] of by) {
          const before = found.get(id)
          if (before) {
            before.sum += weight * score
            before.said += says
          } else found.set(id, { sum: weight * score, said: says })
        }
      }
      const terms = new Set(words.flatMap(indexedAs))
      const termsIn = (id: string) =>
        new Set(looked.flatMap(({ by, termOf }) => (by.has(id) ? [termOf(id)] : [])))
      return [...found]
        .map(([id, { sum, said }]) => {
          const share = said / asked
          const whole = isNamed(termsOfTitle(id), terms) ? share + TITLE_ASKED_FOR * (1 - share) : share
          return { id, score: scoreOf(sum, whole, words.length) }
        })
        .filter(({ score }) => score >= least)
        .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
        .slice(0, most)
        .map((hit) => ({ ...hit, terms: [...termsIn(hit.id)] }))
    },
  }
}

/** The words that a question is about, each once. One that is made of nothing but function words is about those. */
const askedFor = (question: string): Word[] => {
  const words = [...new Map(wordsOf(question).map((word) => [word.term, word])).values()]
  const content = words.filter(({ term, parts }) => parts.length > 0 || !isFunctionWord(term))
  return (content.length > 0 ? content : words).slice(0, MOST_TERMS)
}

/** What a title says, by the terms that questions have as well. */
const contentTerms = (title: string): string[] =>
  wordsOf(title).flatMap((word) => (isFunctionWord(word.term) ? [] : indexedAs(word).slice(0, 1)))

/** Whether a question has every term of a title. */
const isNamed = (title: readonly string[], asked: ReadonlySet<string>): boolean =>
  title.length > 0 && title.every((term) => asked.has(term))

/**
 * How much a word says that is in `count` of all documents: the rarer the more, and no word nothing. One that is in none says as
 * much as one that is in a single document: among few documents it would outweigh all that are there.
 */
const rarity = (count: number, all: number): number => {
  const some = Math.max(1, count)
  return 1 + Math.log(1 + (all - some + 0.5) / (some + 0.5))
}

/** The share of what was asked that was found, and how strongly: the more of both, the closer to 1. */
const scoreOf = (sum: number, share: number, words: number): number =>
  Math.round(1e4 * share ** SHARE * (sum / (sum + words))) / 1e4
