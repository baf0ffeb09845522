import { ApiError } from '../api/api-error.ts'
import { type Filter, findTasks } from './selection.ts'
import type { Service } from './service.ts'

export type BulkOutcome = { total: number; done: number; failures: { id: string; error: string }[] }

const PAGE = '200'

/** The ids of all tasks that a filter finds now, page by page. */
export const selectedTasks = async (service: Service, filter: Filter): Promise<string[]> => {
  const ids: string[] = []
  let cursor: string | undefined
  do {
    const page = await findTasks(service, { ...filter, limit: PAGE, ...(cursor ? { cursor } : {}) })
    ids.push(...page.tasks.map(({ id }) => id))
    cursor = page.nextCursor
  } while (cursor !== undefined)
  return ids
}

/** Does the same with each id, one after the other. A refusal is counted and the next one is tried; a lost service ends it. */
export const inBulk = async (
  ids: readonly string[],
  act: (id: string) => Promise<unknown>,
): Promise<BulkOutcome> => {
  const failures: BulkOutcome['failures'] = []
  for (const id of ids)
    try {
      await act(id)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      failures.push({ id, error: error.message })
    }
  return { total: ids.length, done: ids.length - failures.length, failures }
}
