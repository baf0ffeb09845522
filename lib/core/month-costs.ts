import { DEFAULT_MEMBER, type Increment } from './collection.ts'
import { utcMonth } from './time.ts'

/** What was spent in a month, `2026-01`: by all, or by one user. */
export const monthCounter = (month: string, user?: string): string =>
  user === undefined ? `tasks.costs:${month}` : `tasks.costs:${month}:${user}`

/** How long the counters of a month are kept, from its begin. */
const KEPT_MS = 400 * 86_400_000

/** What a user spent in the month of a time, added to what all did in it. */
export const monthIncrements = (
  at: string,
  user: string,
  add: Readonly<Record<string, number>> & { spent: number },
): Increment[] => {
  const month = utcMonth(at)
  const kept = { member: DEFAULT_MEMBER, expiresAt: Date.parse(`${month}-01`) + KEPT_MS }
  return [
    { ...kept, counter: monthCounter(month), add },
    { ...kept, counter: monthCounter(month, user), add: { spent: add.spent } },
  ]
}

/** Without the increments by 0, which change nothing. */
export const changedOnly = (increments: readonly Increment[]): Increment[] =>
  increments.flatMap(({ add = {}, ...of }) => {
    const changed = Object.entries(add).filter(([, by]) => by !== 0)
    return changed.length === 0 ? [] : [{ ...of, add: Object.fromEntries(changed) }]
  })
