import { type Collection, type SearchedText, unknownCollection } from '../../../core/collection.ts'
import type { Key } from '../../../ports/store.ts'

const NAME = /^[a-zA-Z][a-zA-Z0-9]*$/

/** The partitions of one value in a secondary index: a partition accepts 1,000 writes a second. */
export const SHARDS = 4

/**
 * An index: the table itself if it is in the order of the keys (`own`), else a secondary index over two derived
 * attributes, present in rows with their fields: `p` from `within`, `s` from `by`. Indexes over the same field share
 * them.
 */
export type IndexPlan = {
  name: string
  within: string | undefined
  by: string
  own: boolean
  p: string
  s: string
  /** The tie breakers: the key, and the owner in an index across owners. */
  ties: readonly string[]
  /** The fields that rows of the index have; undefined for all of them. */
  carried: ReadonlySet<string> | undefined
  /** The attributes that a secondary index lists to copy them; undefined when it copies all. */
  named: readonly string[] | undefined
}

/** A collection as a table. Fields are attributes of their own names; names that begin with `_` are derived ones. */
export type Plan = {
  name: string
  table: string
  key: string
  within: string | undefined
  keys: readonly string[]
  detail: ReadonlySet<string>
  /** Fields that are offloaded when they are too large for an index. */
  long: ReadonlySet<string>
  /** The values of required fields whose blob is gone. */
  placeholders: Readonly<Record<string, unknown>>
  /** Fields that share one attribute. */
  fixed: ReadonlySet<string>
  /** The order of fields in an answer; items have none. */
  order: ReadonlySet<string>
  expires: string | undefined
  /** The collection with the spilled entries of the log. */
  log: string | undefined
  /** Whether the change consumer reads the table's stream. */
  streamed: boolean
  indexes: ReadonlyMap<string, IndexPlan>
  /** The indexes that are not the table itself. */
  secondary: readonly IndexPlan[]
  /** The texts that searches look through: heavy ones are left out, since rows are read to be searched. */
  search: readonly SearchedText<{ [field: string]: unknown }>[]
  /** Fields with derived attributes. */
  derived: ReadonlySet<string>
}

export const COUNTERS = 'counters'
/** The token of the last write, by which a repeated write recognises itself. */
export const TOKEN = '_w'
/** The log entries in the row, each a compact text, in the order of their writes. */
export const LOG = '_l'
/** The token of the insert. It distinguishes a row that was inserted over an expired one from a changed one. */
export const BORN = '_b'
/** The fixed fields of a row as one attribute, a map: an index can list only 20 attributes. */
export const FIXED = '_f'
/** Whole epoch seconds after which DynamoDB may remove the item. */
export const TTL = '_ttl'

/** Whether a field shares an attribute: then a write that changes or tests it has to read the row. */
export const isAnyFixed = ({ fixed }: Pick<Plan, 'fixed'>, fields: Iterable<string>): boolean =>
  fixed.size > 0 && [...fields].some((field) => fixed.has(field))

export const attributeNames = (fixed: ReadonlySet<string>, fields: Iterable<string>): string[] => [
  ...new Set([...fields].map((field) => (fixed.has(field) ? FIXED : field))),
]

const checked = (name: string): string => {
  if (!NAME.test(name))
    throw new Error(`"${name}" cannot name a collection or a field: letters and digits only`)
  return name
}

/** Without detail an index copies everything; with some, the listed summary. */
const carriedBy = (of: Collection): ReadonlySet<string> | undefined => {
  if (of.detail === undefined || of.summary === undefined) return undefined
  const needed = Object.values(of.indexes).flatMap(({ within, by }) => [within, by])
  return new Set([...of.summary, ...needed, of.expires].filter((field) => field !== undefined))
}

const planIndex = (of: Collection, name: string): IndexPlan => {
  const { within, by } = of.indexes[checked(name)] as Collection['indexes'][string]
  const own = of.within !== undefined && within === of.within && by === of.key
  const isCrossing = of.within !== undefined && of.within !== within
  const carried = own ? undefined : carriedBy(of)
  const copied = [...(carried ?? [])].filter((field) => field !== of.key && field !== of.within)
  return {
    name,
    within,
    by,
    own,
    p: own ? String(within) : `_p${within ?? ''}`,
    s: own ? by : `_${isCrossing ? 'x' : 's'}${by}`,
    ties: isCrossing ? [of.key, String(of.within)] : [of.key],
    carried,
    named: carried && attributeNames(new Set(of.fixed), copied),
  }
}

/** DynamoDB's limits of attributes listed in one index, which emulators do not check, and in all of a table. */
const MOST_NAMED = 20
const MOST_NAMED_IN_ALL = 100

const refuseUnfit = ({ name }: Collection, secondary: readonly IndexPlan[]): void => {
  if (name === COUNTERS)
    throw new Error(`"${name}" cannot name a collection: it is the table of the counters`)
  const numbers = secondary.map(({ named = [] }) => named.length)
  if (Math.max(0, ...numbers) > MOST_NAMED || numbers.reduce((a, b) => a + b, 0) > MOST_NAMED_IN_ALL)
    throw new Error(
      `The indexes of ${name} name ${numbers.join(' and ')} attributes; DynamoDB takes ${MOST_NAMED} in one and ${MOST_NAMED_IN_ALL} in all: declare fields as fixed`,
    )
}

export type TableName = (of: Pick<Collection, 'name'>) => string

/** Derives the table of a collection; throws for names that DynamoDB or the derived attributes do not allow. */
export const tablePlan = (of: Collection, tableName: TableName): Plan => {
  const indexes = new Map(Object.keys(of.indexes).map((name) => [name, planIndex(of, name)]))
  const secondary = [...indexes.values()].filter(({ own }) => !own)
  const detail = new Set<string>(of.detail)
  const long = new Set<string>(of.long)
  const fixed = new Set<string>(of.fixed)
  const keys = of.within === undefined ? [of.key] : [of.within, of.key]
  const derived = new Set(
    [...secondary.flatMap(({ within, by }) => [within ?? by, by]), of.expires ?? []].flat(),
  )
  refuseUnfit(of, secondary)
  for (const field of [...keys, ...derived, ...detail, ...long, ...fixed]) checked(field)
  for (const field of [...keys, ...derived])
    if (detail.has(field) || long.has(field) || fixed.has(field))
      throw new Error(`${field} of ${of.name} is in a key or an index: it needs an attribute of its own`)
  for (const field of fixed)
    if (detail.has(field)) throw new Error(`${field} of ${of.name} is detail: no index has it`)
  return {
    name: of.name,
    table: tableName({ name: checked(of.name) }),
    key: of.key,
    within: of.within,
    keys,
    detail,
    long,
    placeholders: { ...of.placeholders },
    fixed,
    order: new Set([...(of.summary ?? []), ...detail]),
    expires: of.expires,
    log: of.log?.name,
    streamed: [of.counts, of.sends, of.publishes].some((declared) => declared !== undefined),
    indexes,
    secondary,
    search: (of.search ?? []).filter(({ heavy }) => !heavy),
    derived,
  }
}

export const createPlans = (collections: readonly Collection[], tableName: TableName) => {
  const plans = new Map(collections.map((one) => [one.name, tablePlan(one, tableName)]))
  return ({ name }: Pick<Collection, 'name'>): Plan => {
    const plan = plans.get(name)
    if (plan === undefined) throw unknownCollection(name)
    return plan
  }
}
export type FindPlan = ReturnType<typeof createPlans>

/** The parts of a key, in the order of `plan.keys`. */
export const keyParts = (plan: Plan, key: Key): readonly string[] => {
  if ((typeof key === 'string') !== (plan.within === undefined))
    throw new TypeError(`A key of ${plan.name} is ${plan.within === undefined ? 'a text' : 'a pair'}`)
  return typeof key === 'string' ? [key] : key
}
