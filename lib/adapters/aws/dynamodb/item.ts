import type { Key } from '../../../ports/store.ts'
import { placeText, shardNumber, sortable } from './order.ts'
import { BORN, FIXED, type IndexPlan, keyParts, LOG, type Plan, SHARDS, TOKEN, TTL } from './plan.ts'

/** A row after JSON. */
export type Fields = { [field: string]: unknown }
/** An item of a table in the document client's form: attributes by name. */
export type Item = Record<string, unknown>

const BLOB = Symbol('blob')
/** The pointer in a row to a value in a blob of this name. */
type Pointer = { readonly [BLOB]: string }
export const pointerTo = (name: string): Pointer => ({ [BLOB]: name })
export const blobName = (value: unknown): string | undefined =>
  typeof value === 'object' && value !== null && BLOB in value ? String(value[BLOB]) : undefined

/** DynamoDB stores 38 digits of numbers in this range; the bounds are slightly narrower than its own. */
const keepsNumber = (value: number) => value === 0 || (Math.abs(value) > 1e-128 && Math.abs(value) < 1e125)

const asJson = (value: unknown): unknown => {
  const text = JSON.stringify(value)
  if (text === undefined) return undefined
  return text === 'null' ? null : { json: text }
}

const isText = (value: unknown) => typeof value === 'string' && value.isWellFormed()

/**
 * A field's value as an attribute: scalars and lists of texts unchanged, so that conditions can name them; values that
 * DynamoDB would not return byte by byte (order of keys, half surrogate pairs, extreme numbers) as JSON text, `{ json:
 * "…" }`. Undefined for a value that JSON omits. Throws TypeError for a value that JSON refuses.
 */
export const encode = (value: unknown): unknown => {
  if (typeof value === 'string') return value.isWellFormed() ? value : asJson(value)
  if (typeof value === 'number') return keepsNumber(value) ? value : asJson(value)
  if (typeof value === 'boolean') return value
  if (Array.isArray(value) && value.every(isText)) return value
  const blob = blobName(value)
  return blob === undefined ? asJson(value) : { blob }
}

const decode = (attribute: unknown): unknown => {
  if (typeof attribute !== 'object' || attribute === null || Array.isArray(attribute)) return attribute
  const { json, blob } = attribute as { json?: string; blob?: string }
  if (json !== undefined) return JSON.parse(json)
  return blob === undefined ? null : pointerTo(blob)
}

/** A key as attributes, which are the fields of the key. Throws TypeError for a key of another shape. */
export const keyItem = (plan: Plan, key: Key): Record<string, string> =>
  Object.fromEntries(keyParts(plan, key).map((part, at) => [plan.keys[at], part]))

export const rowKey = (plan: Plan, row: Readonly<Fields>): Key => {
  const parts = plan.keys.map((field) => {
    const value = row[field]
    if (typeof value !== 'string' || value === '' || !value.isWellFormed())
      throw new TypeError(`${field} of ${plan.name} must be a well-formed text and not empty: it is a key`)
    return value
  })
  const [first = '', second] = parts
  return second === undefined ? first : [first, second]
}

/** A unique text for each row of all tables. */
export const identity = (plan: Plan, key: Key): string => [plan.table, ...keyParts(plan, key)].join('\0')

/** The partition of an index for rows with one value of `within`, without the shard. */
export const partitionText = ({ within }: IndexPlan, value: unknown, shard: number): string | undefined => {
  const of = within === undefined ? '' : sortable(value, within)
  return of === undefined ? undefined : `${of}#${shard}`
}

/** The fields that break ties, in the form of a position. */
export const tieBreakers = ({ ties }: IndexPlan, row: Readonly<Fields>): string[] =>
  ties.map((field) => String(row[field]))

/** A derived attribute, as a function of its field. Undefined stands for no attribute. */
type Derived = { field: string | undefined; name: string; from(value: unknown): unknown }

/** The derived attributes of a row. Each derives from one field, so that an update needs no other fields. */
export const derivations = (plan: Plan, key: Key): Derived[] => {
  const keys = keyItem(plan, key)
  const shard = shardNumber(keyParts(plan, key).join('\0'), SHARDS)
  const derived = new Map<string, Derived>()
  for (const index of plan.secondary) {
    const { within, by, p, s } = index
    derived.set(p, { field: within, name: p, from: (value) => partitionText(index, value, shard) })
    derived.set(s, { field: by, name: s, from: (value) => placeIn(index, value, keys) })
  }
  if (plan.expires !== undefined) derived.set(TTL, { field: plan.expires, name: TTL, from: seconds })
  return [...derived.values()]
}

const placeIn = (index: IndexPlan, value: unknown, keys: Fields): string | undefined => {
  const by = sortable(value, index.by)
  return by === undefined ? undefined : placeText(by, tieBreakers(index, keys))
}

const seconds = (value: unknown) =>
  typeof value === 'number' && Number.isFinite(value) ? Math.ceil(value / 1_000) : undefined

/** Checks that a field's name does not collide with derived attributes. */
export const ownName = (field: string): string => {
  if (field.startsWith('_')) throw new TypeError(`A field cannot be named ${field}`)
  return field
}

/** The parts of an item beside its row. */
export type Metadata = { token: string; log: readonly string[]; born: string | undefined }

export const metadata = (item: Item): Metadata => ({
  token: String(item[TOKEN] ?? ''),
  log: (item[LOG] as string[] | undefined) ?? [],
  born: item[BORN] as string | undefined,
})

/** A row as an item, with derived attributes. */
export const toItem = (plan: Plan, row: Readonly<Fields>, { token, log, born }: Metadata): Item => {
  const item: Item = { [TOKEN]: token }
  if (log.length > 0) item[LOG] = log
  if (born !== undefined) item[BORN] = born
  const fixed: Item = {}
  for (const [field, value] of Object.entries(row)) {
    const attribute = encode(value)
    if (attribute !== undefined) (plan.fixed.has(field) ? fixed : item)[ownName(field)] = attribute
  }
  if (Object.keys(fixed).length > 0) item[FIXED] = fixed
  for (const { field, name, from } of derivations(plan, rowKey(plan, row))) {
    const attribute = from(field === undefined ? undefined : row[field])
    if (attribute !== undefined) item[name] = attribute
  }
  return item
}

/** The row of an item, without derived attributes. */
export const toRow = (item: Item): Fields =>
  Object.fromEntries(
    [...Object.entries(item), ...Object.entries((item[FIXED] as Item | undefined) ?? {})]
      .filter(([name]) => !name.startsWith('_'))
      .map(([name, attribute]) => [name, decode(attribute)]),
  )

/** The row for the caller, with or without its detail, without pointers; its fields in the collection's order. */
export const visibleRow = ({ detail, order }: Plan, row: Readonly<Fields>, withDetail: boolean): Fields => {
  const others = Object.keys(row)
    .filter((field) => !order.has(field))
    .sort()
  const isShown = (field: string): boolean =>
    row[field] !== undefined && (detail.has(field) ? withDetail && blobName(row[field]) === undefined : true)
  return Object.fromEntries([...order, ...others].filter(isShown).map((field) => [field, row[field]]))
}

/** Whether the row counts as expired, even if DynamoDB has not removed it. */
export const hasExpired = ({ expires }: Plan, row: Readonly<Fields>, now: number): boolean =>
  expires !== undefined && Number(row[expires] ?? Infinity) <= now
