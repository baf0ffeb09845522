import { stemmer } from 'stemmer'

/** Words that English sentences are built with. They say what is asked about it, not about what. */
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
const MOST_KEPT = 100_000
const kept = new Map<string, string>()

/** A word without its ending, by the algorithm of Porter (1980); one in other letters than English has is left as it is. */
export const stemOf = (term: string): string => {
  if (!ENGLISH.test(term)) return term
  const known = kept.get(term)
  if (known !== undefined) return known
  if (kept.size >= MOST_KEPT) kept.clear()
  const stem = stemmer(term)
  kept.set(term, stem)
  return stem
}
