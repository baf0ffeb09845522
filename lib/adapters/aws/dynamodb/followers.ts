import type { Follower, Followers, Tally, Write } from '../../../ports/store.ts'
import { type Bound, bind } from './bound.ts'
import { identity, keyFields } from './item.ts'
import type { Plan } from './plan.ts'
import type { Fields } from './value.ts'

/**
 * What follows from a head. `strict` are written with it, all or none; `loose` (rows that are only ever added beside
 * their owner) and tallies after it; `late` between, in their order.
 */
export type Following = { strict: Bound[]; loose: Bound[]; late: Bound[]; tallies: Tally[] }

/** A transaction has a hundred items, of which one is the head. */
const MOST_STRICT = 99

const isTally = (follower: Follower): follower is Tally => 'tally' in follower
const nameOf = ({ plan, key }: Bound) => identity(plan, key)

/** Followers by how they are written. A transaction takes no item twice, so what comes to one again is late. */
export const sorted = (
  planOf: (of: { name: string }) => Plan,
  head: Bound,
  followers: readonly Follower[],
): Following => {
  const writes = followers.filter((one) => !isTally(one)).map((one) => bind(planOf, one as Write<Fields>))
  const isAdded = ({ plan, write }: Bound) => 'insert' in write && plan.within !== undefined
  const touched = new Set([head, ...writes.filter((one) => !isAdded(one))].map(nameOf))
  const following: Following = { strict: [], loose: [], late: [], tallies: followers.filter(isTally) }
  const taken = new Set([nameOf(head)])
  for (const one of writes) {
    const name = nameOf(one)
    if (isAdded(one) && !touched.has(name)) following.loose.push(one)
    else if (taken.has(name) || following.strict.length === MOST_STRICT) following.late.push(one)
    else following.strict.push(one)
    taken.add(name)
  }
  return following
}

/** What is known of the row that a head will leave, without reading anything. */
const foreseen = ({ plan, key, write }: Bound): Fields => {
  if ('insert' in write) return write.row
  return { ...write.when, ...keyFields(plan, key), ...('update' in write ? write.set : {}) }
}

/**
 * What will follow, as far as it can be told beforehand: enough to know whether something is strict. Undefined when
 * only the row itself can tell.
 */
export const expected = (
  head: Bound,
  followers: Followers<Fields>,
  sort: (followers: readonly Follower[]) => Following,
): Following | undefined => {
  if (typeof followers !== 'function') return sort(followers)
  try {
    return sort(followers(foreseen(head)))
  } catch {
    return undefined
  }
}
