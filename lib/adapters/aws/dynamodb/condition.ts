import type { Scalar, When } from '../../../ports/store.ts'
import { type Plan, TOKEN } from './plan.ts'
import type { Terms } from './terms.ts'
import { encode, type Fields } from './value.ts'

/** More operands than `IN` takes are split. */
const MOST_OPERANDS = 100

/** That a field has one of the values, `null` for none. */
export const oneOf = (terms: Terms, field: string, asked: readonly (Scalar | null)[]): string => {
  const name = terms.name(field)
  const values = asked.flatMap((one) => (one === null ? [] : (encode(one) ?? [])))
  const alternatives: string[] = []
  for (let at = 0; at < values.length; at += MOST_OPERANDS) {
    const operands = values.slice(at, at + MOST_OPERANDS).map((value) => terms.value(value))
    alternatives.push(
      operands.length === 1 ? `${name} = ${operands[0]}` : `${name} IN (${operands.join(', ')})`,
    )
  }
  if (asked.includes(null))
    alternatives.push(
      `attribute_not_exists(${name})`,
      `attribute_type(${name}, ${terms.value({ S: 'NULL' })})`,
    )
  // A list of nothing: that the field is and is not there.
  if (alternatives.length === 0) return `(attribute_exists(${name}) AND attribute_not_exists(${name}))`
  return `(${alternatives.join(' OR ')})`
}

/** That a row has not expired; undefined where rows never do. */
export const unexpired = ({ expires }: Plan, terms: Terms, now: number): string | undefined => {
  if (expires === undefined) return undefined
  const name = terms.name(expires)
  return `(attribute_not_exists(${name}) OR NOT ${name} <= ${terms.value({ N: String(now) })})`
}

/** That there is no row: none at all, or one that has expired. */
export const isAbsent = ({ key, expires }: Plan, terms: Terms, now: number): string => {
  const none = `attribute_not_exists(${terms.name(key)})`
  return expires === undefined
    ? none
    : `${none} OR ${terms.name(expires)} <= ${terms.value({ N: String(now) })}`
}

/** That there is a row which meets `when` and was not left there by this very write. */
export const isThere = (
  plan: Plan,
  terms: Terms,
  when: When<Fields> | undefined,
  token: string,
  now: number,
) =>
  [
    `attribute_exists(${terms.name(plan.key)})`,
    unexpired(plan, terms, now),
    `${terms.name(TOKEN)} <> ${terms.value({ S: token })}`,
    ...Object.entries(when ?? {}).map(([field, asked]) =>
      oneOf(terms, field, Array.isArray(asked) ? asked : [asked]),
    ),
  ]
    .filter((part) => part !== undefined)
    .join(' AND ')
