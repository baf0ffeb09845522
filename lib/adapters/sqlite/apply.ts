import type { Follower, Outcome, Tally, Write } from '../../ports/store.ts'
import type { Change } from './batch.ts'
import type { Fields } from './change.ts'
import type { Table } from './table.ts'
import type { Tallies } from './tally.ts'

type TableOf = (of: { name: string }) => Table
const isTally = (follower: Follower): follower is Tally => 'tally' in follower

/** The table of a collection; throws for one that was not declared when the store was opened. */
export const tablesByName = (tables: readonly Table[]): TableOf => {
  const byName = new Map(tables.map((table) => [table.plan.name, table]))
  return ({ name }) => {
    const table = byName.get(name)
    if (table === undefined)
      throw new Error(`The collection ${name} was not declared when the store was opened`)
    return table
  }
}

/** One change: the head, and when it applied its followers. Tallies are taken last: they cannot be taken back. */
export const applier = (tableOf: TableOf, tallies: Tallies) => {
  const write = (one: Write<Fields>, detail: boolean): Outcome<Fields> => {
    if ('insert' in one) return tableOf(one.insert).insert(one, detail)
    if ('update' in one) return tableOf(one.update).update(one, detail)
    return tableOf(one.remove).remove(one, detail)
  }
  const follow = (followers: readonly Follower[]) => {
    const taken: Tally[] = []
    for (const one of followers) {
      if (!isTally(one)) write(one, false)
      else taken.push(tallies.check(one))
    }
    for (const tally of taken) tallies.add(tally)
  }
  return ({ head, followers, detail }: Change): Outcome<Fields> => {
    const outcome = write(head, detail)
    if (outcome.applied) follow(typeof followers === 'function' ? followers(outcome.row ?? {}) : followers)
    return outcome
  }
}
