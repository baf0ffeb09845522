import { rowPages } from '../core/page.ts'
import { iso } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Store } from '../ports/store.ts'
import { tasks } from './rows.ts'
import { isFollowed, type TaskRow } from './schema.ts'

const PAGE = 100
/** The most completed tasks that one call looks through. */
const MOST_READ = 500
const MOST_RESULTS = 100

/** Runs of one schedule have the same group; any other task is alone. */
const resultGroup = ({ id, source, sourceId }: TaskRow): string =>
  source === 'cron' && sourceId !== undefined ? `schedule:${sourceId}` : id

/**
 * The results that no other run follows, among the newest completed tasks of a time, newest first; of a schedule only the latest, and
 * those with a question.
 * An index of all results would cost more in each write.
 */
export const createRecentResults =
  ({ store, clock }: { store: Store; clock: Pick<Clock, 'now'> }) =>
  async (sinceMs: number, isWanted: (task: TaskRow) => boolean): Promise<TaskRow[]> => {
    const since = iso(clock.now() - sinceMs)
    const where = [{ field: 'createdAt' as const, from: since }]
    const newest = { index: 'byStatus', is: 'completed', order: 'desc', where, limit: PAGE } as const
    const groups = new Set<string>()
    const isLatest = (row: TaskRow): boolean => {
      const group = resultGroup(row)
      const isSuperseded = groups.has(group)
      groups.add(group)
      // A later run of the schedule answers no question.
      return (!isSuperseded || row.question !== undefined) && !isFollowed(row)
    }
    const found: TaskRow[] = []
    let read = 0
    for await (const rows of rowPages((from) => store.page(tasks, { ...newest, ...from }))) {
      found.push(...rows.filter((row) => isLatest(row) && isWanted(row)))
      read += rows.length
      if (found.length >= MOST_RESULTS || read >= MOST_READ) break
    }
    return found.slice(0, MOST_RESULTS)
  }
