import SearchableMap from 'minisearch/SearchableMap'
import { stemOf } from './words.ts'

/** A word that may have been meant, by what it is found under: 1 for the word itself, less for what is further away. */
type Meant = { term: string; weight: number }

/** Shorter words have too many neighbours to be taken for a slip of the pen, or for a beginning. */
const FUZZY_FROM = 4
const FUZZY_TWICE_FROM = 7
const FUZZY_TO = 48
const PREFIX_FROM = 3
/** Words of one beginning that are looked at, and words that are searched for in place of one. */
const MOST_LOOKED_AT = 500
const MOST_MEANT = 8
const WEIGHT_BY_SLIPS = [1, 0.7, 0.4]
const BEGINNING = 0.6

/** The words that texts are made of, to find those that a misspelt word may have meant. */
export const createVocabulary = (known: readonly string[] = []) => {
  const seen = new Set(known)
  let tree: SearchableMap<true> | undefined

  /** Made when it is first needed, which for most processes is never. */
  const inTree = (): SearchableMap<true> => {
    if (tree === undefined) {
      tree = new SearchableMap()
      for (const word of seen) tree.set(word, true)
    }
    return tree
  }

  const near = (word: string): [string, number][] => {
    if (word.length < FUZZY_FROM || word.length > FUZZY_TO) return []
    const slips = word.length < FUZZY_TWICE_FROM ? 1 : 2
    const words = inTree()
    const found = [...words.fuzzyGet(word, slips)].map(([other, [, distance]]): [string, number] => [
      other,
      distance,
    ])
    return [
      ...swapped(word).flatMap((other): [string, number][] => (words.has(other) ? [[other, 1]] : [])),
      ...found,
    ]
  }

  const beginningWith = (word: string): string[] => {
    if (word.length < PREFIX_FROM) return []
    const found: string[] = []
    for (const other of inTree().atPrefix(word).keys()) {
      found.push(other)
      if (found.length >= MOST_LOOKED_AT) break
    }
    return found.sort((a, b) => a.length - b.length || (a < b ? -1 : 1))
  }

  return {
    add: (word: string): void => {
      // Most words of a text are known, and a walk through the tree costs more than a look.
      if (seen.has(word)) return
      seen.add(word)
      tree?.set(word, true)
    },
    words: (): string[] => [...seen],
    /** The words that are written almost so, and those that begin so, the nearest first. */
    meantBy: (word: string): Meant[] => {
      const weights = new Map<string, number>()
      const learn = (other: string, weight: number) => {
        const term = stemOf(other)
        weights.set(term, Math.max(weight, weights.get(term) ?? 0))
      }
      for (const [other, distance] of near(word)) learn(other, WEIGHT_BY_SLIPS[distance] ?? 0)
      for (const other of beginningWith(word).slice(0, MOST_MEANT))
        learn(other, BEGINNING * (word.length / other.length))
      return [...weights]
        .map(([term, weight]) => ({ term, weight }))
        .sort((a, b) => b.weight - a.weight || (a.term < b.term ? -1 : 1))
        .slice(0, MOST_MEANT)
    },
  }
}

/** A word with two neighbouring letters in each other's place, which is one slip and not two. */
const swapped = (word: string): string[] =>
  Array.from(
    { length: word.length - 1 },
    (_, n) => `${word.slice(0, n)}${word[n + 1]}${word[n]}${word.slice(n + 2)}`,
  )
