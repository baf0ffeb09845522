import MiniSearch, { type SearchResult } from 'minisearch'
import { termsOf } from './terms.ts'

/** Something to be found by words: `title` weighs twice, `place` half as much again as the text. */
export type Searched = { id: string; title: string; place: string; text: string }
export type Hit = { id: string; score: number }

/** More words of a question than this are not looked for. */
const MOST_TERMS = 48
const BOOST = { title: 2, place: 1.5, text: 1 }
/** Short words have too many neighbours to be taken for a slip of the pen, or for a beginning. */
const FUZZY_FROM = 5
/** Longer ones, and those of a long question, are looked for as they are: each slip that is allowed costs a walk. */
const FUZZY_TO = 20
const MOST_FUZZY = 16
const PREFIX_FROM = 3

export type Lexical = ReturnType<typeof createLexical>

/**
 * Search by words (BM25+), kept up to date as texts come and go. Terms are looked up in a tree; nothing of a question
 * ever becomes a pattern.
 */
export const createLexical = (documents: Iterable<Searched> = []) => {
  const index = new MiniSearch<Searched>({
    fields: ['title', 'place', 'text'],
    tokenize: termsOf,
    processTerm: (term) => term,
  })
  index.addAll([...documents])

  return {
    add: (document: Searched): void => index.add(document),
    remove: (id: string): void => {
      if (index.has(id)) index.discard(id)
    },
    /** The best first, those with a score of at least `least`. Scores are from 0 to 1, and do not depend on other hits. */
    search: (question: string, most: number, least = 0): Hit[] => {
      const terms = [...new Set(termsOf(question))].slice(0, MOST_TERMS)
      const found = index.search(terms.join(' '), {
        boost: BOOST,
        prefix: (term) => term.length >= PREFIX_FROM,
        fuzzy: (term, _at, { length }) =>
          length <= MOST_FUZZY && term.length >= FUZZY_FROM && term.length <= FUZZY_TO ? 0.2 : false,
        maxFuzzy: 2,
        combineWith: 'OR',
      })
      return found
        .map((hit) => ({ id: String(hit.id), score: scoreOf(hit, terms.length) }))
        .filter(({ score }) => score >= least)
        .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
        .slice(0, most)
    },
  }
}

/** How many of the words were found, and how much they say: the more of both, the closer to 1. */
const scoreOf = ({ score, queryTerms }: SearchResult, terms: number): number => {
  const share = queryTerms.length / terms
  return Math.round(1e4 * share * (score / (score + terms))) / 1e4
}
