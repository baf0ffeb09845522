import type { TaskSelection } from '../bulk/schema.ts'
import { definedFields } from '../core/defined-fields.ts'
import { withTooBroad } from '../core/errors.ts'
import { foundPart } from '../core/found-part.ts'
import { countedPage, createSelection, pageFacts, pageRange } from '../core/page.ts'
import { searchWords } from '../core/search-words.ts'
import { searchedTexts } from '../core/searched-texts.ts'
import { truncatedIn } from '../core/truncated.ts'
import type { Page, Store, Test } from '../ports/store.ts'
import type { FilterTasks, ListTasks } from './contract.ts'
import { readTaskCounters } from './counters.ts'
import { tasks } from './rows.ts'
import { publicTask, type Task, type TaskFields, type TaskRow } from './schema.ts'
import { TASK_SEARCH } from './search.ts'
import type { WithWaits } from './waits.ts'

type Needs = { store: Store; withWaits: WithWaits }

const DETAIL = new Set<string>(tasks.detail)
/** The fields that are computed for a task that has not started. */
const WAITS = new Set<string>(['waitingFor', 'waiting'])

/** Newest tasks first, of one status or of all. The total comes from a counter, that of a search from the rows. */
export const createTaskList =
  ({ store, withWaits }: Needs) =>
  async (query: ListTasks) => {
    const { status, q } = query
    const fields = query.full ? undefined : query.fields
    const selection = { ...listSelection(query), order: 'desc' } as const
    const { rows, facts } = await (q === undefined
      ? countedPage(query, `tasks:${status ?? ''}`, {
          page: (range) => store.page(tasks, { ...selection, ...range }),
          count: async () => (await readTaskCounters(store))[status ? `status:${status}` : 'total'],
        })
      : searchedPage(query, `tasks:${JSON.stringify([status, q])}`, (range) =>
          store.page(tasks, { ...selection, ...range, where: searchTests(q), total: true }),
        ))
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

/** A page whose total storage counts, with the names of the texts that were looked through, if any were. */
const searchedPage = async (
  query: Pick<FilterTasks, 'limit' | 'offset' | 'cursor'>,
  scope: string,
  read: (range: ReturnType<typeof pageRange>) => Promise<Page<TaskRow>>,
) => {
  const page = await read(pageRange(query, scope)).catch(tooBroad)
  const { rows, total = 0, searched } = page
  return { rows, facts: { ...pageFacts(page, total, query, scope), ...definedFields({ searched }) } }
}

const picked = (row: Task, fields: readonly (keyof TaskFields)[]): TaskFields =>
  ({
    ...Object.fromEntries([['id', row.id], ...fields.map((name) => [name, row[name]])]),
    ...truncatedIn(row),
  }) as TaskFields

/** Whole tasks that meet every given criterion, in the asked order. */
export const createTaskFilter =
  ({ store, withWaits }: Needs) =>
  async (query: FilterTasks) => {
    const selection = { ...sortedSelection(query), detail: true, total: true }
    const { offset = 0 } = query
    const { rows, facts } = await searchedPage({ ...query, offset }, filterScope(query), (range) =>
      store.page(tasks, { ...selection, ...range }),
    )
    const words = query.q === undefined ? [] : searchWords(query.q)
    const found = (row: TaskRow) =>
      words.length === 0 ? {} : definedFields({ match: foundPart(searchedTexts(TASK_SEARCH, row), words) })
    return {
      tasks: (await withWaits(rows)).map((row) => ({ ...publicTask(row), ...found(row) })),
      ...facts,
      offset,
    }
  }

const tooBroad = withTooBroad('This search is too broad. Narrow it by createdAfter, createdBefore or status')

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
  ...fieldIn('branch', query.branch === undefined ? undefined : [query.branch]),
  ...fieldIn('createdBy', query.createdBy === undefined ? undefined : [query.createdBy]),
  ...(query.labels ? [{ field: 'labels' as const, hasAll: query.labels }] : []),
  ...(query.retried === undefined ? [] : [{ field: 'retriedBy' as const, exists: query.retried }]),
  ...between('createdAt', query.createdAfter, query.createdBefore),
  ...between('completedAt', query.completedAfter, query.completedBefore),
  ...searchTests(query.q),
]

const searchTests = (q: string | undefined): Test<TaskRow>[] => (q ? [{ words: searchWords(q) }] : [])

type TaskField = Extract<keyof TaskRow, string>

const fieldIn = (field: TaskField, values: readonly (string | number)[] | undefined): Test<TaskRow>[] =>
  values ? [{ field, in: values }] : []

const between = (field: TaskField, from: string | undefined, to: string | undefined): Test<TaskRow>[] =>
  (from ?? to) ? [{ field, ...definedFields({ from, to }) }] : []
