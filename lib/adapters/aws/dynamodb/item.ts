import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import type { Key } from '../../../ports/store.ts'
import { FIXED_ATTRIBUTE } from './fixed.ts'
import { placeText, shardOf, sortable } from './order.ts'
import { type IndexPlan, type Plan, partsOf, SHARDS, TOKEN, TTL } from './plan.ts'
import { decode, encode, type Fields, type Item } from './value.ts'

/** A key as attributes. Throws TypeError for a key of another shape. */
export const keyItem = (plan: Plan, key: Key): Item =>
  Object.fromEntries(partsOf(plan, key).map((part, at) => [plan.keys[at], { S: part }]))

export const keyOf = (plan: Plan, row: Readonly<Fields>): Key => {
  const parts = plan.keys.map((field) => {
    const value = row[field]
    if (typeof value !== 'string' || value === '' || !value.isWellFormed())
      throw new TypeError(`${field} of ${plan.name} must be a well-formed text and not empty: it is a key`)
    return value
  })
  const [first = '', second] = parts
  return second === undefined ? first : [first, second]
}

/** One text per row of all tables. */
export const identity = (plan: Plan, key: Key): string => [plan.table, ...partsOf(plan, key)].join('\0')

/** The partition of an index that rows with one value of `within` share, but for the shard. */
export const partitionText = ({ within }: IndexPlan, value: unknown, shard: number): string | undefined => {
  const of = within === undefined ? '' : sortable(value, within)
  return of === undefined ? undefined : `${of}#${shard}`
}

/** The fields that break ties, as a position names them. */
export const tiesOf = ({ ties }: IndexPlan, row: Readonly<Fields>): string[] =>
  ties.map((field) => String(row[field]))

/** An attribute of ours: what it becomes when the field that it is made from does. Undefined stands for none. */
type Derived = { field: string | undefined; name: string; from(value: unknown): AttributeValue | undefined }

/** Our own attributes of a row with this key. Each is made from one field, so that an update needs to know no other. */
export const derivations = (plan: Plan, key: Key): Derived[] => {
  const keys = keyFields(plan, key)
  const shard = shardOf(partsOf(plan, key).join('\0'), SHARDS)
  const derived = new Map<string, Derived>()
  for (const index of plan.secondary) {
    const { within, by, p, s } = index
    derived.set(p, { field: within, name: p, from: (value) => asText(partitionText(index, value, shard)) })
    derived.set(s, { field: by, name: s, from: (value) => asText(placeIn(index, value, keys)) })
  }
  if (plan.expires !== undefined) derived.set(TTL, { field: plan.expires, name: TTL, from: seconds })
  return [...derived.values()]
}

const asText = (text: string | undefined) => (text === undefined ? undefined : { S: text })

const placeIn = (index: IndexPlan, value: unknown, keys: Fields): string | undefined => {
  const by = sortable(value, index.by)
  return by === undefined ? undefined : placeText(by, tiesOf(index, keys))
}

const seconds = (value: unknown) =>
  typeof value === 'number' && Number.isFinite(value) ? { N: String(Math.ceil(value / 1_000)) } : undefined

/** The fields that a key is made of. */
export const keyFields = (plan: Plan, key: Key): Fields =>
  Object.fromEntries(partsOf(plan, key).map((part, at) => [plan.keys[at], part]))

/** A name that a field may have beside our own attributes. */
export const ownName = (field: string): string => {
  if (field.startsWith('_')) throw new TypeError(`A field cannot be named ${field}`)
  return field
}

/** A row as an item, with our own attributes. */
export const itemOf = (plan: Plan, row: Readonly<Fields>, token: string): Item => {
  const item: Item = { [TOKEN]: { S: token } }
  const fixed: Item = {}
  for (const [field, value] of Object.entries(row)) {
    const attribute = encode(value)
    if (attribute !== undefined) (plan.fixed.has(field) ? fixed : item)[ownName(field)] = attribute
  }
  if (Object.keys(fixed).length > 0) item[FIXED_ATTRIBUTE] = { M: fixed }
  for (const { field, name, from } of derivations(plan, keyOf(plan, row))) {
    const attribute = from(field === undefined ? undefined : row[field])
    if (attribute !== undefined) item[name] = attribute
  }
  return item
}

/** The row of an item; our own attributes are left out. */
export const rowOf = (item: Item): Fields =>
  Object.fromEntries(
    [...Object.entries(item), ...Object.entries(item[FIXED_ATTRIBUTE]?.M ?? {})]
      .filter(([name]) => !name.startsWith('_'))
      .map(([name, value]) => [name, decode(value)]),
  )
