import SearchableMap from 'minisearch/SearchableMap'
import { wordStem } from './words.ts'

/** A possible meaning of a word as an index term: weight 1 for the word itself, less for distant ones. */
type Meant = { term: string; weight: number }

/** Shorter words have too many neighbours to be corrected or completed. */
const FUZZY_FROM = 4
const FUZZY_TWICE_FROM = 7
const FUZZY_TO = 48
const PREFIX_FROM = 3
/** The most words of one beginning that are read, and the most that replace one word. */
const MOST_LOOKED_AT = 500
const MOST_MEANT = 8
const WEIGHT_BY_SLIPS = [1, 0.7, 0.4]
const BEGINNING = 0.6

/** The known words of texts, for finding those that a misspelt word may mean. */
export const createVocabulary = (known: readonly string[] = []) => {
  const seen = new Set(known)
  let tree: SearchableMap<true> | undefined

  /** Built at its first use, which most processes never need. */
  const inTree = (): SearchableMap<true> => {
    if (tree === undefined) {
      tree = new SearchableMap()
      for (const word of seen) tree.set(word, true)
    }
    return tree
  }

  const similarWords = (word: string): [string, number][] => {
    if (word.length < FUZZY_FROM || word.length > FUZZY_TO) return []
    const slips = word.length < FUZZY_TWICE_FROM ? 1 : 2
    const words = inTree()
    const found = [...words.fuzzyGet(word, slips)].map(([other, [, distance]]): [string, number] => [
      other,
      distance,
    ])
    return [
      ...swappedSpellings(word).flatMap((other): [string, number][] =>
        words.has(other) ? [[other, 1]] : [],
      ),
      ...found,
    ]
  }

  const beginningWith = (word: string): string[] => {
    if (word.length < PREFIX_FROM) return []
    const completions: string[] = []
    for (const other of inTree().atPrefix(word).keys()) {
      completions.push(other)
      if (completions.length >= MOST_LOOKED_AT) break
    }
    return completions.sort((a, b) => a.length - b.length || (a < b ? -1 : 1))
  }

  return {
    add: (word: string): void => {
      // Most words of a text are known, and a look-up is cheaper than a walk through the tree.
      if (seen.has(word)) return
      seen.add(word)
      tree?.set(word, true)
    },
    words: (): string[] => [...seen],
    /** The similar words, and those with this beginning, nearest first. */
    meantBy: (word: string): Meant[] => {
      const weights = new Map<string, number>()
      const learn = (other: string, weight: number) => {
        const term = wordStem(other)
        weights.set(term, Math.max(weight, weights.get(term) ?? 0))
      }
      for (const [other, distance] of similarWords(word)) learn(other, WEIGHT_BY_SLIPS[distance] ?? 0)
      for (const other of beginningWith(word).slice(0, MOST_MEANT))
        learn(other, BEGINNING * (word.length / other.length))
      return [...weights]
        .map(([term, weight]) => ({ term, weight }))
        .sort((a, b) => b.weight - a.weight || (a.term < b.term ? -1 : 1))
        .slice(0, MOST_MEANT)
    },
  }
}

/** The word with two neighbouring letters swapped, which counts as one error and not two. */
const swappedSpellings = (word: string): string[] =>
  Array.from(
    { length: word.length - 1 },
    (_, n) => `${word.slice(0, n)}${word[n + 1]}${word[n]}${word.slice(n + 2)}`,
  )
