import { Problem } from '../core/errors.ts'
import { pageFacts, rangeOf } from '../core/page.ts'
import type { Store, Test } from '../ports/store.ts'
import type { FilterTasks } from './queries.ts'
import { publicTask, type TaskRow, tasks } from './rows.ts'

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
      ...rangeOf(query, scope),
    }
    const page = await store.page(tasks, selection).catch(refuse)
    return {
      tasks: page.rows.map(publicTask),
      ...pageFacts(page, page.total ?? 0, { limit, offset }, scope),
    }
  }

/** Says in the words of the query what storage says in its own. */
const refuse = (thrown: unknown): never => {
  if (!(thrown instanceof Problem) || thrown.code !== 'selection_too_broad') throw thrown
  throw new Problem(thrown.kind, thrown.code, TOO_BROAD, { cause: thrown })
}

const TOO_BROAD =
  'Too many tasks would have to be looked through; narrow the search by createdAfter, createdBefore or status'

/** A cursor is good for the very selection and order that it was made in. */
const scopeOf = ({ limit: _limit, offset: _offset, cursor: _cursor, ...selection }: FilterTasks) =>
  `filter:${JSON.stringify(selection)}`

const testsOf = (query: FilterTasks): Test<TaskRow>[] => [
  ...oneOf('status', query.status),
  ...oneOf('priority', query.priority),
  ...oneOf('source', query.source),
  ...oneOf('agent', query.agent),
  ...oneOf('repository', query.repository === undefined ? undefined : [query.repository]),
  ...(query.labels ? [{ field: 'labels' as const, hasAll: query.labels }] : []),
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
