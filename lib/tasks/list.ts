import type { TaskSelection } from '../bulk/schema.ts'
import { withTooBroad } from '../core/errors.ts'
import { pageFacts, pageRange, pageTotal } from '../core/page.ts'
import { rowPages } from '../core/pages.ts'
import { truncatedIn } from '../core/truncated.ts'
import type { Store, Test } from '../ports/store.ts'
import type { FilterTasks, ListTasks } from './contract.ts'
import { TASK_COUNTERS } from './counters.ts'
import { tasks } from './rows.ts'
import { publicTask, type TaskFields, type TaskRow } from './schema.ts'

const DETAIL = new Set<string>(tasks.detail)

/**
 * Newest tasks first, of one status or of all. The total comes from a counter, so its cost does not grow with the tasks.
 */
export const createTaskList =
  ({ store }: { store: Store }) =>
  async (query: ListTasks) => {
    const { status } = query
    const fields = query.full ? undefined : query.fields
    const scope = `tasks:${status ?? ''}`
    const [page, counters] = await Promise.all([
      store.page(tasks, { ...selectionOf(query), order: 'desc', ...pageRange(query, scope) }),
      store.counters(TASK_COUNTERS.counter),
    ])
    const counted = counters[TASK_COUNTERS.member]?.[status ? `status:${status}` : 'total']
    return {
      tasks: page.rows.map((row) => (fields ? picked(row, fields) : publicTask(row))),
      ...pageFacts(page, pageTotal(page, counted, query), query, scope),
    }
  }

const selectionOf = ({ status, full, fields }: ListTasks) => ({
  ...(status ? { index: 'byStatus', is: status } : { index: 'newest' }),
  detail: full === true || fields?.some((name) => DETAIL.has(name)) === true,
})

const picked = (row: TaskRow, fields: readonly (keyof TaskFields)[]): TaskFields =>
  ({
    ...Object.fromEntries([['id', row.id], ...fields.map((name) => [name, row[name]])]),
    ...truncatedIn(row),
  }) as TaskFields

/** Whole tasks that meet every given criterion, in the asked order. */
export const createTaskFilter =
  ({ store }: { store: Store }) =>
  async (query: FilterTasks) => {
    const { limit, offset = 0, sortBy, sortOrder } = query
    const scope = scopeOf(query)
    const selection = {
      index: 'newest',
      where: testsOf(query),
      ...(sortBy === 'createdAt' ? {} : { sort: sortBy }),
      order: sortOrder,
      detail: true,
      total: true,
      ...pageRange(query, scope),
    }
    const page = await store.page(tasks, selection).catch(tooBroad)
    return {
      tasks: page.rows.map(publicTask),
      ...pageFacts(page, page.total ?? 0, { limit, offset }, scope),
    }
  }

const tooBroad = withTooBroad(
  'Too many tasks would have to be looked through; narrow the search by createdAfter, createdBefore or status',
)

/** A cursor is valid only for the selection and order that it was made for. */
const scopeOf = ({ limit: _limit, offset: _offset, cursor: _cursor, ...selection }: FilterTasks) =>
  `filter:${JSON.stringify(selection)}`

/** Rows of a selection that are read at once. */
const PAGE = 500

/**
 * The tasks of a selection at the time of the call. Both verbs throw Problem `selection_too_broad` as the filter does.
 */
export const createTaskSelection = ({ store }: { store: Store }) => ({
  /** The number of the tasks, and the first of them. */
  preview: async (selection: TaskSelection, sample: number) => {
    const query = { ...rowsOf(selection), limit: Math.min(sample, selection.limit ?? sample), total: true }
    const { rows, total = 0 } = await store.page(tasks, query).catch(tooBroad)
    return { rows: rows.map(publicTask), count: Math.min(total, selection.limit ?? total) }
  },
  /** At most `most` of their ids, in order. */
  ids: async (selection: TaskSelection, most: number): Promise<string[]> => {
    const wanted = Math.min(most, selection.limit ?? most)
    const query = { ...rowsOf(selection), limit: Math.min(wanted, PAGE) }
    const ids: string[] = []
    for await (const rows of rowPages((from) => store.page(tasks, { ...query, ...from }).catch(tooBroad))) {
      for (const { id } of rows) ids.push(id)
      if (ids.length >= wanted) break
    }
    return ids.slice(0, wanted)
  },
})

const rowsOf = ({ sortBy = 'createdAt', sortOrder = 'desc', ...selection }: TaskSelection) => ({
  index: 'newest',
  where: testsOf(selection),
  ...(sortBy === 'createdAt' ? {} : { sort: sortBy }),
  order: sortOrder,
})

const testsOf = (
  query: Omit<FilterTasks, 'limit' | 'sortBy' | 'sortOrder'> | TaskSelection,
): Test<TaskRow>[] => [
  ...oneOf('status', query.status),
  ...oneOf('priority', query.priority),
  ...oneOf('source', query.source),
  ...oneOf('agent', query.agent),
  ...oneOf('repository', query.repository === undefined ? undefined : [query.repository]),
  ...(query.labels ? [{ field: 'labels' as const, hasAll: query.labels }] : []),
  ...(query.retried === undefined ? [] : [{ field: 'retriedBy' as const, exists: query.retried }]),
  ...between('createdAt', query.createdAfter, query.createdBefore),
  ...between('completedAt', query.completedAfter, query.completedBefore),
  ...(query.q ? [{ fields: ['title', 'description', 'prompt'] as const, contains: query.q }] : []),
]

type TaskField = Extract<keyof TaskRow, string>

const oneOf = (field: TaskField, values: readonly (string | number)[] | undefined): Test<TaskRow>[] =>
  values ? [{ field, in: values }] : []

const between = (field: TaskField, from: string | undefined, to: string | undefined): Test<TaskRow>[] =>
  from === undefined && to === undefined
    ? []
    : [{ field, ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }]
