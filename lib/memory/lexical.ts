import MiniSearch, { type AsPlainObject, type Options } from 'minisearch'
import { getOrCreate } from '../core/get-or-create.ts'
import { createVocabulary } from './vocabulary.ts'
import { indexedAs, isFunctionWord, splitWords, type Word, wordStem } from './words.ts'

/** A searchable document; title and place weigh more than the text. */
export type Searched = { id: string; title: string; place: string; text: string }
/** `terms` are the index terms of the question's words that matched. */
export type Hit = { id: string; score: number; terms?: readonly string[] }
/** An index as plain data, which the same code stores and opens. */
export type SavedLexical = { index: AsPlainObject; words: readonly string[] }

/**
 * Limits of a question: its words, the unknown words that are guessed, and all lookups. A name in code has words of its
 * own, which are searched too. The limits keep a search below some tens of milliseconds.
 */
const MOST_TERMS = 48
const MOST_GUESSED = 12
const MOST_LOOKUPS = 96
const MOST_GUESSES = 24
const BOOST = { title: 2, place: 1, text: 1 }
/** Above 1, a text with all words of a question outweighs one that repeats a single word. */
const SHARE = 2
/** The share of a missing match that a title makes up for when the question contains the whole title. */
const TITLE_ASKED_FOR = 0.3
/** The weight of the words of a name in code, when the whole name is known, and when it is not. */
const PARTS_OF_KNOWN = 0.1
const PARTS_OF_UNKNOWN = 0.5

/** The scores of a word by document id, and the term under which each document has it. */
type Scores = { by: ReadonlyMap<string, number>; termOf: (id: string) => string }
type Lookup = Scores & { weight: number }

export type Lexical = ReturnType<typeof createLexical>

/** Search by words (BM25+), updated with its texts. A stored index opens in a fraction of the time of a new one. */
export const createLexical = (documents: Iterable<Searched> = [], saved?: SavedLexical) => {
  const vocabulary = createVocabulary(saved?.words)
  const options: Options<Searched> = {
    fields: ['title', 'place', 'text'],
    storeFields: ['title'],
    tokenize: (text) => {
      const terms: string[] = []
      for (const word of splitWords(text)) {
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
  const titleTerms = (id: string): readonly string[] =>
    getOrCreate(titles, id, () => contentTerms(String(index.getStoredFields(id)?.title)))
  const add = (document: Searched): void => {
    titles.delete(document.id)
    index.add(document)
  }
  for (const document of documents) add(document)

  const termScores = (term: string): Scores => {
    const by = new Map(index.search(term).map(({ id, score }): [string, number] => [id, score]))
    return { by, termOf: () => term }
  }

  /** An unknown word stands for similar known words. */
  const guessedScores = (word: string): Scores => {
    const best = new Map<string, number>()
    const terms = new Map<string, string>()
    for (const { term, weight } of vocabulary.meantBy(word))
      for (const [id, score] of termScores(term).by)
        if (weight * score > (best.get(id) ?? 0)) {
          best.set(id, weight * score)
          terms.set(id, term)
        }
    return { by: best, termOf: (id) => terms.get(id) ?? word }
  }

  const scoresOfPlain = (term: string, mayGuess: () => boolean): Scores => {
    const stem = wordStem(term)
    const known = termScores(stem)
    // Names in code are indexed without their seams, and not stemmed.
    const found = known.by.size > 0 || stem === term ? known : termScores(term)
    return found.by.size > 0 || !mayGuess() ? found : guessedScores(term)
  }

  const wordLookups = function* ({ term, parts }: Word, mayGuess: () => boolean): Generator<Lookup> {
    if (parts.length === 0) return yield { ...scoresOfPlain(term, mayGuess), weight: 1 }
    const known = termScores(term)
    const wordScores = known.by.size > 0 || !mayGuess() ? known : guessedScores(term)
    yield { ...wordScores, weight: 1 }
    const weight = (known.by.size > 0 ? PARTS_OF_KNOWN : PARTS_OF_UNKNOWN) / parts.length
    for (const part of parts.filter((each) => !isFunctionWord(each)))
      yield { ...scoresOfPlain(part, () => wordScores.by.size === 0 && mayGuess()), weight }
  }

  const lookupsFor = (words: readonly Word[]): Lookup[] => {
    const lookups: Lookup[] = []
    let guesses = 0
    for (const [n, word] of words.entries())
      for (const lookup of wordLookups(word, () => n < MOST_GUESSED && guesses++ < MOST_GUESSES)) {
        lookups.push(lookup)
        if (lookups.length >= MOST_LOOKUPS) return lookups
      }
    return lookups
  }

  return {
    add,
    has: (id: string): boolean => index.has(id),
    save: (): SavedLexical => ({ index: index.toJSON(), words: vocabulary.words() }),
    remove: (id: string): void => {
      titles.delete(id)
      if (index.has(id)) index.discard(id)
    },
    /** Best matches first, with a score of at least `least`. Scores are from 0 to 1 and do not depend on other hits. */
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
          const titleShare = isNamed(titleTerms(id), terms) ? share + TITLE_ASKED_FOR * (1 - share) : share
          return { id, score: hitScore(sum, titleShare, words.length) }
        })
        .filter(({ score }) => score >= least)
        .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
        .slice(0, most)
        .map((hit) => ({ ...hit, terms: [...termsIn(hit.id)] }))
    },
  }
}

/** The distinct words of a question without function words; all of them if it has no other. */
const askedFor = (question: string): Word[] => {
  const words = [...new Map(splitWords(question).map((word) => [word.term, word])).values()]
  const content = words.filter(({ term, parts }) => parts.length > 0 || !isFunctionWord(term))
  return (content.length > 0 ? content : words).slice(0, MOST_TERMS)
}

/** The terms of a title that are comparable with those of questions. */
const contentTerms = (title: string): string[] =>
  splitWords(title).flatMap((word) => (isFunctionWord(word.term) ? [] : indexedAs(word).slice(0, 1)))

/** Whether a question has every term of a title. */
const isNamed = (title: readonly string[], asked: ReadonlySet<string>): boolean =>
  title.length > 0 && title.every((term) => asked.has(term))

/**
 * The weight of a word that `count` of all documents have: the rarer the higher, and never 0. A word without any document
 * weighs as much as one with a single document: among few documents it would otherwise outweigh all known words.
 */
const rarity = (count: number, all: number): number => {
  const some = Math.max(1, count)
  return 1 + Math.log(1 + (all - some + 0.5) / (some + 0.5))
}

/** The score from the share of found words and the strength of the matches: the higher both are, the closer to 1. */
const hitScore = (sum: number, share: number, words: number): number =>
  Math.round(1e4 * share ** SHARE * (sum / (sum + words))) / 1e4
