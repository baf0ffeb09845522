import type { SearchedText } from '../../../core/collection.ts'
import { fold } from '../../../core/fold.ts'
import { hasWords, searchedTexts } from '../../../core/searched-texts.ts'
import type { Scalar, Test } from '../../../ports/store.ts'
import { hasAnyValue, type Terms } from './expressions.ts'
import type { Fields } from './item.ts'
import { lastPlace, sortable } from './order.ts'
import type { IndexPlan, Plan } from './plan.ts'

const hasPart = (value: unknown, folded: string) => typeof value === 'string' && fold(value).includes(folded)

/** A word of a search, as a part of any of the texts that are in `fields`. */
type WordTest = { fields: readonly string[]; word: string; texts: readonly SearchedText<Fields>[] }

/** A test of a row: a search is one for each of its words. */
export type RowTest = Exclude<Test<Fields>, { words: unknown }> | WordTest

export const rowTests = ({ search }: Plan, tests: readonly Test<Fields>[] = []): RowTest[] => {
  const fields = [...new Set(search.map(({ field }) => field))]
  return tests.flatMap((test): RowTest[] =>
    'words' in test ? test.words.map((word) => ({ fields, word, texts: search })) : [test],
  )
}

const passes = (row: Readonly<Fields>, test: RowTest): boolean => {
  if ('word' in test) {
    const texts = test.texts.filter(({ field }) => test.fields.includes(field))
    return hasWords(searchedTexts(texts, row), [fold(test.word)])
  }
  if ('contains' in test) {
    const folded = fold(test.contains)
    return test.fields.some((field) => hasPart(row[field], folded))
  }
  const value = row[test.field]
  if ('in' in test) return test.in.includes((value ?? null) as Scalar | null)
  if ('exists' in test) return ((value ?? undefined) !== undefined) === test.exists
  if ('hasAll' in test)
    return (
      test.hasAll.length === 0 || (Array.isArray(value) && test.hasAll.every((item) => value.includes(item)))
    )
  return (
    typeof value === 'string' && (test.from ?? '') <= value && (test.to === undefined || value <= test.to)
  )
}

export type Verdict = 'passes' | 'fails' | 'unknown'

const evaluate = (row: Readonly<Fields>, test: RowTest, isKnown: (field: string) => boolean): Verdict => {
  const knownFields = testedFields(test).filter(isKnown)
  if (knownFields.length === testedFields(test).length) return passes(row, test) ? 'passes' : 'fails'
  return 'fields' in test && passes(row, { ...test, fields: knownFields }) ? 'passes' : 'unknown'
}

/** Whether the row passes every test, as far as its known fields decide. */
export const verdictOn = (
  row: Readonly<Fields>,
  tests: readonly RowTest[] = [],
  isKnown: (field: string) => boolean = () => true,
): Verdict => {
  const verdicts = tests.map((test) => evaluate(row, test, isKnown))
  if (verdicts.includes('fails')) return 'fails'
  return verdicts.includes('unknown') ? 'unknown' : 'passes'
}

export const isHopeless = (tests: readonly RowTest[] = []): boolean =>
  tests.some(
    (test) => ('in' in test && test.in.length === 0) || ('fields' in test && test.fields.length === 0),
  )

export const testedFields = (test: RowTest): readonly string[] =>
  'fields' in test ? test.fields : [test.field]

/** Compared with an ASCII text, every other text has the same order by code unit and by byte. */
const isAscii = (text: string | undefined) => text === undefined || /^[\0-\x7f]*$/.test(text)
/** Longer texts may be cut in a place. */
const MOST_BOUND = 200

/** The places between which rows are; undefined for no bound. */
export type Bounds = { from?: string; to?: string }
type Range = { field: string; from?: string; to?: string }

const isRange = (test: RowTest): test is Range =>
  !('in' in test || 'fields' in test || 'hasAll' in test || 'exists' in test)

/** Whether a test is a range of the index's own field that is exact as part of the key condition. */
export const isBound = ({ by }: IndexPlan, test: RowTest): test is Range =>
  isRange(test) &&
  test.field === by &&
  [test.from, test.to].every((end) => isAscii(end) && (end?.length ?? 0) <= MOST_BOUND)

/** The places of a range: of texts only, so no number is inside. */
export const rangeBounds = ({ own }: IndexPlan, { field, from = '', to }: Range): Bounds => {
  if (own) return { ...(from === '' ? {} : { from }), ...(to === undefined ? {} : { to }) }
  const last = to === undefined ? undefined : sortable(to, field)
  return { from: sortable(from, field) ?? '', ...(last === undefined ? {} : { to: lastPlace(last) }) }
}

const isPlain = (value: Scalar | null): value is Scalar =>
  (typeof value === 'string' && value.isWellFormed()) ||
  typeof value === 'boolean' ||
  Number.isSafeInteger(value)

/**
 * A test as a filter of DynamoDB with the same result; undefined where that is impossible. A filter saves transfer, not
 * reading. It cannot name the keys of the query, and does not see offloaded values.
 */
export const filterText = (plan: Plan, index: IndexPlan, terms: Terms, test: RowTest): string | undefined => {
  if ('fields' in test || 'hasAll' in test || 'exists' in test || plan.detail.has(test.field))
    return undefined
  // Offloaded values, and those inside of another attribute, cannot be evaluated here.
  if (plan.long.has(test.field) || plan.fixed.has(test.field)) return undefined
  if (index.own && plan.keys.includes(test.field)) return undefined
  if (index.carried?.has(test.field) === false && !plan.keys.includes(test.field)) return undefined
  if ('in' in test) {
    const values = test.in.filter(isPlain)
    return values.length === test.in.length ? hasAnyValue(terms, test.field, values) : undefined
  }
  if (!isAscii(test.from) || !isAscii(test.to)) return undefined
  const name = terms.name(test.field)
  const ends = [`${name} >= ${terms.value(test.from ?? '')}`]
  if (test.to !== undefined) ends.push(`${name} <= ${terms.value(test.to)}`)
  return `(${ends.join(' AND ')})`
}
