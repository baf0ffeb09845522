import { pageFacts, rangeOf } from '../core/page.ts'
import type { Store } from '../ports/store.ts'
import type { ListTasks } from './queries.ts'
import { publicTask, type TaskRow, tasks } from './rows.ts'
import type { TaskFields } from './schema.ts'
import { TASK_TOTALS } from './tally.ts'

const DETAIL = new Set<string>(tasks.detail)

/** Newest tasks first, of one status or of all. The total is a maintained counter, whatever the number of tasks. */
export const createTaskList =
  ({ store }: { store: Store }) =>
  async (query: ListTasks) => {
    const { status } = query
    const fields = query.full ? undefined : query.fields
    const scope = `tasks:${status ?? ''}`
    const [page, totals] = await Promise.all([
      store.page(tasks, { ...selectionOf(query), order: 'desc', ...rangeOf(query, scope) }),
      store.tallies(TASK_TOTALS.group),
    ])
    const counts = totals[TASK_TOTALS.member] ?? {}
    return {
      tasks: page.rows.map((row) => (fields ? picked(row, fields) : publicTask(row))),
      ...pageFacts(page, counts[status ? `status:${status}` : 'total'] ?? 0, query, scope),
    }
  }

const selectionOf = ({ status, full, fields }: ListTasks) => ({
  ...(status ? { index: 'byStatus', is: status } : { index: 'newest' }),
  detail: full === true || fields?.some((name) => DETAIL.has(name)) === true,
})

const picked = (row: TaskRow, fields: readonly (keyof TaskFields)[]): TaskFields =>
  Object.fromEntries([['id', row.id], ...fields.map((name) => [name, row[name]])]) as TaskFields
