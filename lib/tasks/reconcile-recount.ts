import type { Position, Store, Tally, Totals } from '../ports/store.ts'
import type { TaskStatus } from './machine.ts'
import type { Counts, Extremes } from './reconcile-drift.ts'
import { type TaskRow, tasks } from './rows.ts'
import { TASK_TOTALS, tallyOfEnded, tallyOfNew } from './tally.ts'

/**
 * What rows say that the totals should be: all that rows can say where `isWhole`, else the states; how many rows were
 * read for it, and the tasks that changed last.
 */
export type Recount = {
  counts: Counts
  extremes: Extremes
  isWhole: boolean
  rows: number
  recent: readonly string[]
}

const PAGE = 1_000
/** Tasks that are all counted one by one; each is a few hundred bytes of an index. */
const MOST_COUNTED = 10_000
/** Of those that changed last, so many are looked at for what is untold. */
const MOST_RECENT = 500

/** Without an end yet: few of all there are, so they can be counted at any size. */
export const OPEN = ['pending', 'queued', 'in_progress'] as const satisfies readonly TaskStatus[]

/** The ends that most tasks do not come to. */
const OVER = ['failed', 'cancelled'] as const satisfies readonly TaskStatus[]

/** Counts from the indexes what the totals keep. */
export const createRecount = ({ store }: { store: Store }) => {
  /** Undefined when there are more than a page. */
  const countOf = async (status: TaskStatus): Promise<number | undefined> => {
    const page = await store.page(tasks, { index: 'byStatus', is: status, order: 'asc', limit: PAGE })
    return page.next === undefined ? page.rows.length : undefined
  }

  /** Every task, or undefined when there are too many. */
  const whole = async (): Promise<Recount | undefined> => {
    const counts = createCounts()
    const found: Pick<TaskRow, 'id' | 'updatedAt'>[] = []
    let after: Position | undefined
    do {
      const place = after ? { after } : {}
      const page = await store.page(tasks, { index: 'newest', order: 'asc', limit: PAGE, ...place })
      for (const row of page.rows) {
        counts.add(talliesOf(row))
        found.push({ id: row.id, updatedAt: row.updatedAt })
      }
      after = page.next
    } while (after !== undefined && found.length < MOST_COUNTED)
    if (after !== undefined) return undefined
    found.sort((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1))
    const recent = found.slice(0, MOST_RECENT).map(({ id }) => id)
    return { ...counts.read(), isWhole: true, rows: found.length, recent }
  }

  /**
   * The states alone: those that are small are counted, and since their sum is the total, what is left are the completed
   * tasks. Undefined while an open state has more than a page.
   */
  const states = async (totals: Totals): Promise<Recount | undefined> => {
    const [open, over] = await Promise.all([Promise.all(OPEN.map(countOf)), Promise.all(OVER.map(countOf))])
    if (open.includes(undefined)) return undefined
    const numbers = [...OPEN, ...OVER].map((status, at) => {
      const name = `status:${status}`
      return [name, [...open, ...over][at] ?? totals[name] ?? 0] as const
    })
    const rest = numbers.reduce((left, [, n]) => left - n, totals.total ?? 0)
    const all = { ...Object.fromEntries(numbers), 'status:completed': rest }
    const newest = await store.page(tasks, { index: 'newest', order: 'desc', limit: MOST_RECENT })
    return {
      counts: { [TASK_TOTALS.member]: all },
      extremes: {},
      isWhole: false,
      rows: open.length * PAGE,
      recent: newest.rows.map(({ id }) => id),
    }
  }

  return {
    /**
     * Whether an open state has another number of tasks than the totals say. Reads nothing where they say that there are
     * none, or too many to count.
     */
    openDiffer: async (totals: Totals): Promise<boolean> => {
      const kept = OPEN.map((status) => totals[`status:${status}`] ?? 0)
      if (kept.every((n) => n === 0)) return false
      const found = await Promise.all(
        OPEN.map((status, at) => ((kept[at] ?? 0) < PAGE ? countOf(status) : undefined)),
      )
      return found.some((n, at) => n !== undefined && n !== kept[at])
    },
    /** All that can be told beside these totals. */
    recount: async (totals: Totals): Promise<Recount | undefined> =>
      ((totals.total ?? 0) <= MOST_COUNTED ? await whole() : undefined) ?? states(totals),
  }
}

/** A failure stays counted when its task is queued again, so rows cannot say how many there were. */
const talliesOf = (row: TaskRow): Tally[] => [
  ...tallyOfNew(row),
  ...(row.status === 'completed' ? tallyOfEnded(row) : []),
]

const createCounts = () => {
  const counts: Record<string, Record<string, number>> = {}
  const least: Record<string, number> = {}
  const most: Record<string, number> = {}
  const addOne = (tally: Tally) => {
    counts[tally.member] ??= {}
    const sums = counts[tally.member] ?? {}
    for (const [name, n] of Object.entries(tally.add ?? {})) sums[name] = (sums[name] ?? 0) + n
    for (const [name, n] of Object.entries(tally.least ?? {})) least[name] = Math.min(least[name] ?? n, n)
    for (const [name, n] of Object.entries(tally.most ?? {})) most[name] = Math.max(most[name] ?? n, n)
  }
  return {
    add: (tallies: readonly Tally[]) => tallies.forEach(addOne),
    read: (): Pick<Recount, 'counts' | 'extremes'> => ({ counts, extremes: { least, most } }),
  }
}
