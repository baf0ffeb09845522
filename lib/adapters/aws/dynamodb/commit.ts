import type { Follower, Followers, Outcome, Write } from '../../../ports/store.ts'
import type { Aside } from './aside.ts'
import { type Bound, bind } from './bound.ts'
import { expected, type Following, sorted } from './followers.ts'
import { identity } from './item.ts'
import { createLanes } from './lanes.ts'
import type { Plan } from './plan.ts'
import { shown } from './row.ts'
import type { Result, Rows } from './rows.ts'
import type { Tallies } from './tallies.ts'
import { type createTransact, knowsNoTransactions } from './transact.ts'
import type { Fields } from './value.ts'

type Needs = {
  planOf: (of: { name: string }) => Plan
  rows: Rows
  aside: Aside
  tallies: Tallies
  transact: ReturnType<typeof createTransact>
}
type Change = { head: Bound; followers: Followers<Fields>; detail: boolean }
/** A head that was written, and what is still to be. */
type Led = { result: Result; rest: Following | undefined }

/**
 * One conditional write and what follows. The head alone is one request; events and totals come after it. With
 * followers that must not be without it, the head and those are a transaction, where there are any.
 */
export const createCommit = ({ planOf, rows, aside, tallies, transact }: Needs) => {
  const inOrder = createLanes()
  let transactional = true

  const rowFor = async ({ head, detail }: Change, row: Fields): Promise<Fields> =>
    shown(head.plan, await aside.last(head.plan, row, detail), detail)

  const check = ({ strict, loose, late, tallies: taken }: Following) => {
    for (const one of [...strict, ...loose, ...late]) rows.check(one)
    for (const one of taken) tallies.check(one)
  }

  const following = async (change: Change, row: Fields): Promise<Following> => {
    const { head, followers } = change
    const list = typeof followers === 'function' ? followers(await rowFor(change, row)) : followers
    const found = sorted(planOf, head, list)
    check(found)
    return found
  }

  const alone = async (change: Change): Promise<Led> => {
    const result = await rows.write(change.head)
    return { result, rest: result.applied ? await following(change, result.row ?? {}) : undefined }
  }

  const together = async (change: Change): Promise<Led> => {
    try {
      return await transact(change.head, (row) => following(change, row))
    } catch (thrown) {
      if (!knowsNoTransactions(thrown)) throw thrown
      transactional = false
      return alone(change)
    }
  }

  /** Rows come first: events and totals are made up for when they are missing, and of a row nobody knows that it is. */
  const follow = async ({ strict, loose, late, tallies: taken }: Following): Promise<void> => {
    for (const one of [...strict, ...late]) await rows.write(one)
    await Promise.all([tallies.take(taken), ...loose.map((one) => rows.write(one))])
  }

  return async (
    write: Write<Fields>,
    followers: Followers<Fields> = [],
    detail = false,
  ): Promise<Outcome<Fields>> => {
    const head = bind(planOf, write)
    const change = { head, followers, detail }
    rows.check(head)
    const likely = expected(head, followers, (list: readonly Follower[]) => sorted(planOf, head, list))
    if (likely !== undefined && typeof followers !== 'function') check(likely)
    const isAlone = !transactional || likely?.strict.length === 0
    const { result, rest } = await inOrder(identity(head.plan, head.key), () =>
      isAlone ? alone(change) : together(change),
    )
    if (rest !== undefined) await follow(rest)
    return { applied: result.applied, row: result.row && (await rowFor(change, result.row)) }
  }
}
