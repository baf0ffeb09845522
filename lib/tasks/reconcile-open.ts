import type { Counts } from '../core/drift.ts'
import type { Store, Totals } from '../ports/store.ts'
import type { TaskStatus } from './machine.ts'
import { tasks } from './rows.ts'
import { TASK_TOTALS } from './tally.ts'

/** A look at the open states: whether one has another number of tasks than is kept, and how many rows it took. */
type OpenLook = { differs: boolean; rows: number }

/** What the states should be, and the newest tasks. */
type StatesCount = { counts: Counts; recent: readonly string[] }

const PAGE = 1_000
const MOST_RECENT = 500

/** Without an end yet: few of all there are, so they can be counted at any size. */
const OPEN = ['pending', 'queued', 'in_progress'] as const satisfies readonly TaskStatus[]

/** The ends that most tasks do not come to. */
const OVER = ['failed', 'cancelled'] as const satisfies readonly TaskStatus[]

/** Counts the tasks of a state where they are few: never more than a page of each. */
export const createOpenCount = ({ store }: { store: Store }) => {
  /** Undefined when there are more than a page. */
  const countOf = async (status: TaskStatus): Promise<number | undefined> => {
    const page = await store.page(tasks, { index: 'byStatus', is: status, order: 'asc', limit: PAGE })
    return page.next === undefined ? page.rows.length : undefined
  }
  const keptOf = (totals: Totals, status: TaskStatus) => totals[`status:${status}`] ?? 0

  /**
   * Whether an open state has another number of tasks than the totals say, as far as a page tells. Every change of a task
   * has to do with an open state, so there it shows what was not counted. One of none is passed over where nothing `isNew`.
   */
  const look = async (totals: Totals, isNew: boolean): Promise<OpenLook> => {
    const looked = OPEN.filter((status) => isNew || keptOf(totals, status) !== 0)
    const found = await Promise.all(looked.map(countOf))
    const differs = looked.some((status, at) => {
      const kept = keptOf(totals, status)
      return found[at] === undefined ? kept < PAGE : found[at] !== kept
    })
    return { differs, rows: found.reduce<number>((sum, n) => sum + (n ?? PAGE), 0) }
  }

  /**
   * The states alone: those that are small are counted, and since their sum is the total, what is left are the completed
   * tasks. Undefined while an open state has more than a page.
   */
  const states = async (totals: Totals): Promise<StatesCount | undefined> => {
    const open = await Promise.all(OPEN.map(countOf))
    if (open.includes(undefined)) return undefined
    const over = await Promise.all(
      OVER.map((status) => (keptOf(totals, status) < PAGE ? countOf(status) : undefined)),
    )
    const numbers = [...OPEN, ...OVER].map((status, at) => [
      `status:${status}`,
      [...open, ...over][at] ?? keptOf(totals, status),
    ])
    const known: Record<string, number> = Object.fromEntries(numbers)
    const rest = Object.values(known).reduce((left, n) => left - n, totals.total ?? 0)
    const newest = await store.page(tasks, { index: 'newest', order: 'desc', limit: MOST_RECENT })
    return {
      counts: { [TASK_TOTALS.member]: { ...known, 'status:completed': rest } },
      recent: newest.rows.map(({ id }) => id),
    }
  }

  return { look, states }
}
