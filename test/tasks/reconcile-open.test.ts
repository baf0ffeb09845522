import { describe, expect, it } from '@jest/globals'
import type { Page, Store } from '../../lib/ports/store.ts'
import { createOpenCount } from '../../lib/tasks/reconcile-open.ts'

/** Storage with so many queued tasks, read in pages. */
const holding = (queued: number) => {
  const page = async ({ is, limit }: { is?: unknown; limit: number }): Promise<Page<object>> => {
    const n = is === 'queued' ? queued : 0
    return {
      rows: Array.from({ length: Math.min(n, limit) }, () => ({})),
      next: n > limit ? { by: '', key: '' } : undefined,
    }
  }
  return { page: (_, query) => page(query) } as Store
}

describe('a look at the open states', () => {
  it.each([
    [0, 0, false],
    [3, 3, false],
    [3, 2, true],
    [0, 1, true],
    [1, 0, true],
    [999, 5_000, true],
    [1_000, 1_000, false],
    [1_000, 999, true],
    [5_000, 7_000, false],
    [5_000, 3, true],
  ])('where %i are kept as queued, and %i are: doubts %s', async (kept, queued, differs) => {
    const { look } = createOpenCount({ store: holding(queued) })
    expect(await look({ 'status:queued': kept }, true)).toMatchObject({ differs })
  })

  it('reads no state of none where nothing is new', async () => {
    const { look } = createOpenCount({ store: holding(1) })
    expect(await look({ 'status:queued': 0 }, false)).toEqual({ differs: false, rows: 0 })
  })
})
