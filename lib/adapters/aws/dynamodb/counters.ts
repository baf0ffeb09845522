import { UpdateCommand } from '@aws-sdk/lib-dynamodb'
import type { Increment } from '../../../core/collection.ts'
import type { Counters } from '../../../ports/store.ts'
import { asProblem, type Connection, isRefusal, queryPages } from './connection.ts'
import { createTerms, createUpdate } from './expressions.ts'
import type { Item } from './item.ts'
import { TTL } from './plan.ts'

/** The key of a counter item: one item per counter and member. */
export const COUNTER = 'c'
export const MEMBER = 'm'
export type CounterKey = { [COUNTER]: string; [MEMBER]: string }

const KINDS = ['add', 'least', 'most'] as const
type Kind = (typeof KINDS)[number]
/** A counter is an attribute with one of these prefixes, which say how new values combine with it. */
const SIGN: Record<Kind, string> = { add: '+', least: '<', most: '>' }
const COMBINE: Record<Kind, (a: number, b: number) => number> = {
  add: (a, b) => a + b,
  least: Math.min,
  most: Math.max,
}
/** The expiry of an item, in epoch seconds, is the largest of its increments. */
const counterKind = (attribute: string): Kind | undefined =>
  attribute === TTL ? 'most' : KINDS.find((kind) => attribute.startsWith(SIGN[kind]))

export type Sums = ReadonlyMap<string, number>

const combined = (attribute: string, before: number, value: number) =>
  COMBINE[counterKind(attribute) ?? 'add'](before, value)

export const joined = (all: readonly Sums[]): Sums => {
  const sums = new Map<string, number>()
  for (const [name, value] of all.flatMap((one) => [...one])) {
    const before = sums.get(name)
    sums.set(name, before === undefined ? value : combined(name, before, value))
  }
  return sums
}

/** The numbers of an increment. Throws TypeError for one that would destroy the counter. */
export const incrementSums = (increment: Increment): Sums => {
  const sums = new Map<string, number>()
  for (const kind of KINDS)
    for (const [name, value] of Object.entries(increment[kind] ?? {})) {
      if (!Number.isFinite(value)) throw new TypeError(`${name} of ${increment.member} is not a number`)
      sums.set(SIGN[kind] + name, value)
    }
  if (increment.expiresAt !== undefined) sums.set(TTL, Math.ceil(increment.expiresAt / 1_000))
  return sums
}

/** Whether a number is added to its attribute; other numbers replace smaller or larger ones. */
export const isAdded = (attribute: string): boolean => attribute.startsWith(SIGN.add)

/** The extremes that exceed those of the item, and all numbers that are added. */
export const newsTo = (item: Item, sums: Sums): Sums =>
  new Map(
    [...sums].filter(([name, value]) => {
      const stored = item[name]
      return isAdded(name) || typeof stored !== 'number' || combined(name, stored, value) !== stored
    }),
  )

/** Reads counters, and corrects them. The change consumer makes all other changes. */
export const createCounters = ({ connection, table }: { connection: Connection; table: string }) => ({
  /** The members of a counter from a name on, in their order. */
  read: async (counter: string, from: string): Promise<Record<string, Counters>> => {
    const pages = await Array.fromAsync(queryPages(connection, membersQuery(table, counter, from)))
    return Object.fromEntries(
      pages.flatMap(({ Items = [] }) => Items.map((item) => [String(item[MEMBER]), numbersIn(item)])),
    )
  },
  /** Changes counters, each in its own request. One that the SDK repeats after a lost answer adds twice. */
  adjust: async (increments: readonly Increment[]): Promise<void> => {
    for (const increment of increments)
      for (const [name, value] of incrementSums(increment)) {
        const command = new UpdateCommand({ TableName: table, ...updateBy(increment, name, value) })
        await connection.client.send(command).catch((thrown: unknown) => {
          // The stored extreme is not exceeded.
          if (!isRefusal(thrown)) throw asProblem(thrown)
        })
      }
  },
})

/** The update of one counter: a sum is added, an extreme is set if it exceeds the stored one. */
const updateBy = ({ counter, member }: Increment, attribute: string, value: number) => {
  const terms = createTerms()
  const update = createUpdate(terms)
  if (isAdded(attribute)) update.add(attribute, value)
  else update.put(attribute, value)
  const name = terms.name(attribute)
  const sign = counterKind(attribute) === 'least' ? '>' : '<'
  return {
    Key: { [COUNTER]: counter, [MEMBER]: member },
    UpdateExpression: update.text(),
    ...(isAdded(attribute)
      ? {}
      : { ConditionExpression: `attribute_not_exists(${name}) OR ${name} ${sign} ${terms.value(value)}` }),
    ...terms.attributes(),
  }
}

const membersQuery = (TableName: string, counter: string, from: string) => ({
  TableName,
  ConsistentRead: true,
  KeyConditionExpression: from === '' ? '#c = :c' : '#c = :c AND #m >= :m',
  ExpressionAttributeNames: { '#c': COUNTER, ...(from === '' ? {} : { '#m': MEMBER }) },
  ExpressionAttributeValues: { ':c': counter, ...(from === '' ? {} : { ':m': from }) },
})

const numbersIn = (item: Item): Counters =>
  Object.fromEntries(
    Object.entries(item).flatMap(([name, value]) =>
      typeof value === 'number' && counterKind(name) !== undefined && name !== TTL
        ? [[name.slice(1), value] as const]
        : [],
    ),
  )
