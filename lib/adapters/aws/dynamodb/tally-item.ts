import type { Tally, Totals } from '../../../ports/store.ts'
import { TOKEN } from './plan.ts'
import { createTerms } from './terms.ts'
import type { Item } from './value.ts'

/** The key of an item: there is one per group, member and shard. */
export const GROUP = 'g'
export const MEMBER = 'm'

const KINDS = ['add', 'least', 'most'] as const
type Kind = (typeof KINDS)[number]
/** A total is an attribute of its name behind one of these, which say how shards and new values combine. */
const SIGN: Record<Kind, string> = { add: '+', least: '<', most: '>' }
const COMBINE: Record<Kind, (a: number, b: number) => number> = {
  add: (a, b) => a + b,
  least: Math.min,
  most: Math.max,
}
const kindOf = (attribute: string): Kind | undefined => KINDS.find((kind) => attribute.startsWith(SIGN[kind]))

/** Numbers by attribute name. */
export type Sums = ReadonlyMap<string, number>

const combined = (name: string, a: number | undefined, b: number): number =>
  a === undefined ? b : COMBINE[kindOf(name) ?? 'add'](a, b)

/** Both together. */
export const joined = (one: Sums, other: Sums): Sums => {
  const sums = new Map(one)
  for (const [name, value] of other) sums.set(name, combined(name, sums.get(name), value))
  return sums
}

/** A tally's numbers. Throws TypeError for one that no total would survive. */
export const sumsOf = (tally: Tally): Sums => {
  const sums = new Map<string, number>()
  for (const kind of KINDS)
    for (const [name, value] of Object.entries(tally[kind] ?? {})) {
      if (!Number.isFinite(value)) throw new TypeError(`${name} of ${tally.member} is not a number`)
      sums.set(SIGN[kind] + name, value)
    }
  return sums
}

/** The extremes that beat what is known of the item, and everything that is added. */
export const newsTo = (known: Sums | undefined, sums: Sums): Sums =>
  new Map(
    [...sums].filter(([name, value]) => name.startsWith(SIGN.add) || beats(name, value, known?.get(name))),
  )

const beats = (name: string, value: number, known: number | undefined) =>
  known === undefined || COMBINE[kindOf(name) ?? 'add'](known, value) !== known

/** The extremes of an item. */
export const extremesOf = (item: Item | undefined): Sums =>
  new Map(
    Object.entries(item ?? {}).flatMap(([name, { N }]) =>
      N !== undefined && !name.startsWith(SIGN.add) ? [[name, Number(N)] as const] : [],
    ),
  )

/**
 * The one write of sums: numbers are added, extremes set on the condition that they still are some. The token keeps a
 * request that is sent twice from being counted twice.
 */
export const tallyUpdate = (sums: Sums, token: string) => {
  const terms = createTerms()
  const own = terms.name(TOKEN)
  const mine = terms.value({ S: token })
  const set = [`${own} = ${mine}`]
  const add: string[] = []
  const conditions = [`(attribute_not_exists(${own}) OR ${own} <> ${mine})`]
  for (const [attribute, value] of sums) {
    const name = terms.name(attribute)
    const number = terms.value({ N: String(value) })
    if (attribute.startsWith(SIGN.add)) add.push(`${name} ${number}`)
    else {
      set.push(`${name} = ${number}`)
      const than = attribute.startsWith(SIGN.least) ? '>' : '<'
      conditions.push(`(attribute_not_exists(${name}) OR ${name} ${than} ${number})`)
    }
  }
  return {
    UpdateExpression: `SET ${set.join(', ')}${add.length > 0 ? ` ADD ${add.join(', ')}` : ''}`,
    ConditionExpression: conditions.join(' AND '),
    ...terms.attributes(),
  }
}

/** The totals of members from the items of their shards. */
export const totalsOf = (items: readonly Item[], from: string): Record<string, Totals> => {
  const members = new Map<string, Sums>()
  for (const item of items) {
    const member = memberOf(item)
    if (member >= from) members.set(member, joined(members.get(member) ?? new Map(), numbersOf(item)))
  }
  const named = [...members].sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(
    named.map(([member, sums]) => [
      member,
      Object.fromEntries([...sums].map(([name, value]) => [name.slice(1), value])),
    ]),
  )
}

export const memberKey = (member: string, shard: number): string => `${member}#${shard}`
const memberOf = (item: Item): string => {
  const key = item[MEMBER]?.S ?? ''
  return key.slice(0, key.lastIndexOf('#'))
}

const numbersOf = (item: Item): Sums =>
  new Map(
    Object.entries(item).flatMap(([name, { N }]) => (N === undefined ? [] : [[name, Number(N)] as const])),
  )
