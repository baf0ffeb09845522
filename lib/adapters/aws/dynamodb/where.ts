import { fold } from '../../../core/fold.ts'
import type { Scalar, Test } from '../../../ports/store.ts'
import { hasAnyValue, type Terms } from './expressions.ts'
import type { Fields } from './item.ts'
import { lastPlace, sortable } from './order.ts'
import type { IndexPlan, Plan } from './plan.ts'

const hasPart = (value: unknown, folded: string) => typeof value === 'string' && fold(value).includes(folded)

const passes = (row: Readonly<Fields>, test: Test<Fields>): boolean => {
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

const evaluate = (
  row: Readonly<Fields>,
  test: Test<Fields>,
  isKnown: (field: string) => boolean,
): Verdict => {
  const knownFields = testedFields(test).filter(isKnown)
  if (knownFields.length === testedFields(test).length) return passes(row, test) ? 'passes' : 'fails'
  return 'contains' in test && passes(row, { ...test, fields: knownFields }) ? 'passes' : 'unknown'
}

/** Whether the row passes every test, as far as its known fields decide. */
export const verdictOn = (
  row: Readonly<Fields>,
  tests: readonly Test<Fields>[] = [],
  isKnown: (field: string) => boolean = () => true,
): Verdict => {
  const verdicts = tests.map((test) => evaluate(row, test, isKnown))
  if (verdicts.includes('fails')) return 'fails'
  return verdicts.includes('unknown') ? 'unknown' : 'passes'
}

export const isHopeless = (tests: readonly Test<Fields>[] = []): boolean =>
  tests.some(
    (test) => ('in' in test && test.in.length === 0) || ('contains' in test && test.fields.length === 0),
  )

export const testedFields = (test: Test<Fields>): readonly string[] =>
  'fields' in test ? test.fields : [test.field]

/** Compared with an ASCII text, every other text has the same order by code unit and by byte. */
const isAscii = (text: string | undefined) => text === undefined || /^[\0-\x7f]*$/.test(text)
/** Longer texts may be cut in a place. */
const MOST_BOUND = 200

/** The places between which rows are; undefined for no bound. */
export type Bounds = { from?: string; to?: string }
type Range = { field: string; from?: string; to?: string }

const isRange = (test: Test<Fields>): test is Range =>
  !('in' in test || 'contains' in test || 'hasAll' in test || 'exists' in test)

/** Whether a test is a range of the index's own field that is exact as part of the key condition. */
export const isBound = ({ by }: IndexPlan, test: Test<Fields>): test is Range =>
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
export const filterText = (
  plan: Plan,
  index: IndexPlan,
  terms: Terms,
  test: Test<Fields>,
): string | undefined => {
  if ('contains' in test || 'hasAll' in test || 'exists' in test || plan.detail.has(test.field))
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
