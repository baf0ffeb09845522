import { describe, expect, it } from '@jest/globals'
import { Problem } from '../../lib/core/errors.ts'
import type { Store } from '../../lib/ports/store.ts'
import { FilterTasksQuery } from '../../lib/tasks/contract.ts'
import { createTaskFilter } from '../../lib/tasks/list.ts'

const filterOn = (thrown: Error) =>
  createTaskFilter({
    store: { page: () => Promise.reject(thrown) } as unknown as Store,
    withWaits: async (rows) => [...rows],
  })(FilterTasksQuery.parse({ q: 'word' }))

describe('a filter that storage cannot answer in time', () => {
  it('tells the caller what to narrow it by, in the words of the query', async () => {
    const thrown = new Problem('invalid', 'selection_too_broad', 'narrow the selection by createdAt')
    await expect(filterOn(thrown)).rejects.toMatchObject({
      kind: 'invalid',
      code: 'selection_too_broad',
      message: expect.stringMatching(/createdAfter, createdBefore or status/),
    })
  })
  it('hands on every other error as it is', async () => {
    const thrown = new Problem('unavailable', 'storage_unavailable', 'Storage is unavailable.')
    await expect(filterOn(thrown)).rejects.toBe(thrown)
  })
})
