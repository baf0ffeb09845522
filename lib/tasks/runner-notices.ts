import { definedFields } from '../core/defined-fields.ts'
import { iso } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Position, Store } from '../ports/store.ts'
import { tasks, waitsSince } from './rows.ts'
import type { TaskRow } from './schema.ts'
import type { WhyNoRunner } from './waits.ts'

type Needs = { store: Store; whyNoRunner: () => Promise<WhyNoRunner>; clock: Clock }

/** How long a task waits for a runner before its user is told. */
const LONG_WAIT_MS = 600_000
const PAGE = 1_000
/** A call looks through so many queued tasks, and the next one goes on behind them. */
const MOST_PAGES = 10
/** Of a page so many are told at once; a later call tells the others. */
const MOST_OF_PAGE = 100

/** The oldest queued tasks that one call looks through: tasks that wait for long are the oldest. */
const MOST_OLDEST = 100

/** The oldest queued tasks that no runner takes, as their users were told. */
export const createTasksWithoutRunner =
  ({ store }: { store: Store }) =>
  async (): Promise<(TaskRow & { noRunner: string })[]> => {
    const oldest = { index: 'byStatus', is: 'queued', order: 'asc', limit: MOST_OLDEST } as const
    const { rows } = await store.page(tasks, oldest)
    return rows.flatMap((row) => (row.noRunner === undefined ? [] : [{ ...row, noRunner: row.noRunner }]))
  }

/** Notes on tasks that no runner can take that their users are told, once for each task. Call it by the clock. */
export const createRunnerNotices = ({ store, whyNoRunner, clock }: Needs) => {
  let after: Position | undefined

  const note = ({ id, fence }: TaskRow, noRunner: string | undefined) =>
    store.commit<TaskRow>({
      update: tasks,
      key: id,
      when: { status: 'queued', fence, noRunner: null },
      set: definedFields({ noRunner }),
    })

  return async (): Promise<void> => {
    const latest = iso(clock.now() - LONG_WAIT_MS)
    const hasWaited = (row: TaskRow) =>
      (row.waitingFor === undefined || row.waitingFor === 'runner') &&
      row.noRunner === undefined &&
      waitsSince(row) <= latest &&
      (row.nextAttemptAt ?? '') <= latest
    const why = await whyNoRunner()
    for (let read = 0; read < MOST_PAGES; read++) {
      const where = [{ field: 'createdAt' as const, to: latest }]
      const oldest = { index: 'byStatus', is: 'queued', order: 'asc', limit: PAGE, where } as const
      const { rows, next } = await store.page(tasks, { ...oldest, ...(after && { after }) })
      const missed = rows.filter((row) => hasWaited(row) && why(row) !== undefined)
      await Promise.all(missed.filter((_, n) => n < MOST_OF_PAGE).map((row) => note(row, why(row))))
      after = next
      if (next === undefined) return
    }
  }
}
