import type { TaskSelection } from '../bulk/schema.ts'
import { definedFields } from '../core/defined-fields.ts'
import { withTooBroad } from '../core/errors.ts'
import { countedPage, createSelection, pageFacts, pageRange } from '../core/page.ts'
import { truncatedIn } from '../core/truncated.ts'
import type { Store, Test } from '../ports/store.ts'
import type { FilterTasks, ListTasks } from './contract.ts'
import { readTaskCounters } from './counters.ts'
import { tasks } from './rows.ts'
import { publicTask, type Task, type TaskFields, type TaskRow } from './schema.ts'
import type { WithWaits } from './waits.ts'

type Needs = { store: Store; withWaits: WithWaits }

const DETAIL = new Set<string>(tasks.detail)
/** The fields that are computed for a task that has not started. */
const WAITS = new Set<string>(['waitingFor', 'waiting'])

/** Newest tasks first, of one status or of all. The total comes from a counter. */
export const createTaskList =
  ({ store, withWaits }: Needs) =>
  async (query: ListTasks) => {
    const { status } = query
    const fields = query.full ? undefined : query.fields
    const scope = `tasks:${status ?? ''}`
    const { rows, facts } = await countedPage(query, scope, {
      page: (range) => store.page(tasks, { ...listSelection(query), order: 'desc', ...range }),
      count: async () => (await readTaskCounters(store))[status ? `status:${status}` : 'total'],
    })
    const shown =
      fields === undefined || fields.some((name) => WAITS.has(name)) ? await withWaits(rows) : rows
    return {
      tasks: shown.map((row) => (fields ? picked(publicTask(row), fields) : publicTask(row))),
      ...facts,
    }
  }

const listSelection = ({ status, full, fields }: ListTasks) => ({
  ...(status ? { index: 'byStatus', is: status } : { index: 'newest' }),
  detail: full === true || fields?.some((name) => DETAIL.has(name)) === true,
})

const picked = (row: Task, fields: readonly (keyof TaskFields)[]): TaskFields =>
  ({
    ...Object.fromEntries([['id', row.id], ...fields.map((name) => [name, row[name]])]),
    ...truncatedIn(row),
  }) as TaskFields

/** Whole tasks that meet every given criterion, in the asked order. */
export const createTaskFilter =
  ({ store, withWaits }: Needs) =>
  async (query: FilterTasks) => {
    const { limit, offset = 0 } = query
    const scope = filterScope(query)
    const selection = { ...sortedSelection(query), detail: true, total: true, ...pageRange(query, scope) }
    const page = await store.page(tasks, selection).catch(tooBroad)
    return {
      tasks: (await withWaits(page.rows)).map(publicTask),
      ...pageFacts(page, page.total ?? 0, { limit, offset }, scope),
    }
  }

const tooBroad = withTooBroad(
  'Too many tasks would have to be looked through; narrow the search by createdAfter, createdBefore or status',
)

/** A cursor is valid only for the selection and order that it was made for. */
const filterScope = ({ limit: _limit, offset: _offset, cursor: _cursor, ...selection }: FilterTasks) =>
  `filter:${JSON.stringify(selection)}`

/** The tasks of a selection at the time of the call. Both verbs throw Problem `selection_too_broad`. */
export const createTaskSelection = ({ store }: { store: Store }) =>
  createSelection(
    (selection: TaskSelection) => ({ ...sortedSelection(selection), limit: selection.limit }),
    (query) => store.page(tasks, query).catch(tooBroad),
    ({ id }) => id,
  )

const sortedSelection = ({
  sortBy = 'createdAt',
  sortOrder = 'desc',
  ...query
}: FilterTasks | TaskSelection) => ({
  index: 'newest',
  where: tests(query),
  ...(sortBy === 'createdAt' ? {} : { sort: sortBy }),
  order: sortOrder,
})

const tests = (query: Omit<FilterTasks | TaskSelection, 'sortBy' | 'sortOrder'>): Test<TaskRow>[] => [
  ...fieldIn('status', query.status),
  ...fieldIn('priority', query.priority),
  ...fieldIn('source', query.source),
  ...fieldIn('agent', query.agent),
  ...fieldIn('repository', query.repository === undefined ? undefined : [query.repository]),
  ...(query.labels ? [{ field: 'labels' as const, hasAll: query.labels }] : []),
  ...(query.retried === undefined ? [] : [{ field: 'retriedBy' as const, exists: query.retried }]),
  ...between('createdAt', query.createdAfter, query.createdBefore),
  ...between('completedAt', query.completedAfter, query.completedBefore),
  ...(query.q ? [{ fields: ['title', 'description', 'prompt'] as const, contains: query.q }] : []),
]

type TaskField = Extract<keyof TaskRow, string>

const fieldIn = (field: TaskField, values: readonly (string | number)[] | undefined): Test<TaskRow>[] =>
  values ? [{ field, in: values }] : []

const between = (field: TaskField, from: string | undefined, to: string | undefined): Test<TaskRow>[] =>
  (from ?? to) ? [{ field, ...definedFields({ from, to }) }] : []
