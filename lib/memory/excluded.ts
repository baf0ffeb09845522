import type { Store } from '../ports/store.ts'
import { filesIn } from './contents.ts'
import { paged } from './files.ts'
import type { IndexCache } from './index-cache.ts'
import { type MemoryStateRow, memoryState } from './rows.ts'
import type { ExcludedFile } from './schema.ts'

const ID = 'excluded'
const MOST_BYTES = 200_000

type Needs = { store: Store; indexCache: Pick<IndexCache, 'current'> }
type Query = Parameters<typeof paged>[2]

export type Excluded = ReturnType<typeof createExcluded>

/** The files that are excluded from memory: those that the last sync skipped, and those that users removed. */
export const createExcluded = ({ store, indexCache }: Needs) => {
  const skipped = async (): Promise<readonly ExcludedFile[]> =>
    (await store.get(memoryState, ID))?.excluded ?? []

  return {
    /** Stores the files that a sync skipped, as many as fit the row. */
    note: async (files: readonly ExcludedFile[]): Promise<void> => {
      let left = MOST_BYTES
      const listed = files.filter(({ path }) => {
        left -= Buffer.byteLength(path) + 40
        return left >= 0
      })
      const before = await store.get(memoryState, ID)
      if (JSON.stringify(before?.excluded ?? []) === JSON.stringify(listed)) return
      const row: MemoryStateRow = { id: ID, version: 1, excluded: listed }
      const { applied } = await store.commit<MemoryStateRow>({ insert: memoryState, row })
      if (!applied)
        await store.commit<MemoryStateRow>({ update: memoryState, key: ID, set: { excluded: listed } })
    },

    list: async (query: Query) => {
      const [files, contents] = await Promise.all([skipped(), indexCache.current()])
      const here = new Set(filesIn(contents).map(({ path }) => path))
      const removed = [...contents.values()].flatMap(({ path, removed }): ExcludedFile[] =>
        removed ? [{ path, reason: 'removed' }] : [],
      )
      // An unreadable file may be in memory with its earlier content, or have been removed by a user.
      const left = files.filter(({ path, reason }) => reason === 'unreadable' || !here.has(path))
      const all = new Map([...removed, ...left].map((file) => [file.path, file]))
      const sorted = [...all.values()].sort((a, b) => (a.path < b.path ? -1 : 1))
      const { rows, facts } = paged(sorted, ({ path }) => path, query, 'memory-excluded')
      return { files: rows, ...facts }
    },
  }
}
