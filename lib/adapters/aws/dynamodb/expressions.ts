import type { Scalar, When } from '../../../ports/store.ts'
import { encode, type Fields, type Item } from './item.ts'
import { LOG, type Plan, TOKEN } from './plan.ts'

/** Names and values of an expression, whose text has placeholders only: no name is reserved, and no value is code. */
export const createTerms = () => {
  const names = new Map<string, string>()
  const values: Item = {}
  return {
    name: (field: string): string => {
      const placeholder = names.get(field) ?? `#n${names.size}`
      names.set(field, placeholder)
      return placeholder
    },
    value: (value: unknown): string => {
      const placeholder = `:v${Object.keys(values).length}`
      values[placeholder] = value
      return placeholder
    },
    /** The names and values of a request; DynamoDB refuses empty lists. */
    attributes: () => ({
      ...(names.size > 0
        ? { ExpressionAttributeNames: Object.fromEntries([...names].map(([field, name]) => [name, field])) }
        : {}),
      ...(Object.keys(values).length > 0 ? { ExpressionAttributeValues: values } : {}),
    }),
  }
}
export type Terms = ReturnType<typeof createTerms>

/** More operands than `IN` takes are split. */
const MOST_OPERANDS = 100

/** A condition: the field has one of the values, where `null` means no value. */
export const hasAnyValue = (terms: Terms, field: string, allowed: readonly (Scalar | null)[]): string => {
  const name = terms.name(field)
  const values = allowed.filter((one) => one !== null).map(encode)
  const alternatives: string[] = []
  for (let at = 0; at < values.length; at += MOST_OPERANDS) {
    const operands = values.slice(at, at + MOST_OPERANDS).map((value) => terms.value(value))
    alternatives.push(
      operands.length === 1 ? `${name} = ${operands[0]}` : `${name} IN (${operands.join(', ')})`,
    )
  }
  if (allowed.includes(null))
    alternatives.push(`attribute_not_exists(${name})`, `attribute_type(${name}, ${terms.value('NULL')})`)
  // An empty list never matches: the condition contradicts itself.
  if (alternatives.length === 0) return `(attribute_exists(${name}) AND attribute_not_exists(${name}))`
  return `(${alternatives.join(' OR ')})`
}

/** A condition: the row has not expired; undefined for rows that never do. */
export const unexpired = ({ expires }: Plan, terms: Terms, now: number): string | undefined => {
  if (expires === undefined) return undefined
  const name = terms.name(expires)
  return `(attribute_not_exists(${name}) OR NOT ${name} <= ${terms.value(now)})`
}

export const isAbsent = ({ key, expires }: Plan, terms: Terms, now: number): string => {
  const none = `attribute_not_exists(${terms.name(key)})`
  return expires === undefined ? none : `${none} OR ${terms.name(expires)} <= ${terms.value(now)}`
}

/** A condition: the row exists, meets `when`, and neither it nor its log entry comes from this same write. */
export const isThere = (
  plan: Plan,
  terms: Terms,
  when: When<Fields> | undefined,
  { token, now, entry }: { token: string; now: number; entry: string | undefined },
) =>
  [
    `attribute_exists(${terms.name(plan.key)})`,
    unexpired(plan, terms, now),
    `${terms.name(TOKEN)} <> ${terms.value(token)}`,
    entry === undefined ? undefined : `NOT contains(${terms.name(LOG)}, ${terms.value(entry)})`,
    ...Object.entries(when ?? {}).map(([field, allowed]) =>
      hasAnyValue(terms, field, Array.isArray(allowed) ? allowed : [allowed]),
    ),
  ]
    .filter((part) => part !== undefined)
    .join(' AND ')

const VERBS = ['SET', 'ADD', 'REMOVE'] as const

/** Collects changes of attributes as an update expression. */
export const createUpdate = (terms: Terms) => {
  const parts: Record<(typeof VERBS)[number], string[]> = { SET: [], ADD: [], REMOVE: [] }
  return {
    /** Sets an attribute, or removes it for an undefined value. */
    put: (field: string, value: unknown): void => {
      const name = terms.name(field)
      if (value === undefined) parts.REMOVE.push(name)
      else parts.SET.push(`${name} = ${terms.value(value)}`)
    },
    putIfAbsent: (field: string, value: unknown): void => {
      const name = terms.name(field)
      parts.SET.push(`${name} = if_not_exists(${name}, ${terms.value(value)})`)
    },
    add: (field: string, step: number): void => {
      parts.ADD.push(`${terms.name(field)} ${terms.value(step)}`)
    },
    /** Appends to a list, which may not exist yet. */
    append: (field: string, entries: readonly unknown[]): void => {
      if (entries.length === 0) return
      const name = terms.name(field)
      const list = `if_not_exists(${name}, ${terms.value([])})`
      parts.SET.push(`${name} = list_append(${list}, ${terms.value(entries)})`)
    },
    text: (): string =>
      VERBS.filter((verb) => parts[verb].length > 0)
        .map((verb) => `${verb} ${parts[verb].join(', ')}`)
        .join(' '),
  }
}
export type UpdateParts = ReturnType<typeof createUpdate>
