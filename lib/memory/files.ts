import type { Place } from '../core/cursor.ts'
import { missing } from '../core/errors.ts'
import { pageFacts, pageRange } from '../core/page.ts'
import type { Store } from '../ports/store.ts'
import { type BeginBudget, inBatches } from './budget.ts'
import type { Change, Draft } from './change.ts'
import { type Contents, chunkCount, type FileEntry, filesIn, shownChunk } from './contents.ts'
import type { IndexCache } from './index-cache.ts'
import { type MemoryStateRow, memoryState } from './rows.ts'
import type { ExcludedFile } from './schema.ts'
import { withoutChunk } from './vectors.ts'
import type { Verdicts } from './verdicts.ts'

const SCOPE = 'memory-files'

type Needs = { store: Store; indexCache: IndexCache; change: Change; budget: BeginBudget; verdicts: Verdicts }
type Query = Parameters<typeof pageRange>[0]

/** The files and chunks of memory, and their removal by users: a removed one stays out until its file changes. */
export const createFiles = ({ store, indexCache, change, budget, verdicts }: Needs) => {
  const entryIn = (contents: Contents, path: string): FileEntry => {
    const entry = contents.get(path)
    if (entry === undefined || entry.removed) throw missing('Memory file')
    return entry
  }

  const fileOfChunk = (contents: Contents, id: string): FileEntry => {
    const entry = filesIn(contents).find(({ chunks }) => chunks.some((chunk) => chunk.id === id))
    if (entry === undefined) throw missing('Memory chunk')
    return entry
  }

  const takeOut = (draft: Draft, { vectors: _vectors, ...entry }: FileEntry) =>
    draft.put({ ...entry, chunks: [], removed: true })

  return {
    list: async (query: Query) => {
      const files = filesIn(await indexCache.current())
      const { rows, facts } = paged(files, ({ path }) => path, query, SCOPE)
      const listed = rows.map(({ path, hash, size, chunks, updatedAt }) => ({
        path,
        hash,
        size,
        updatedAt,
        chunks: chunks.length,
      }))
      return { files: listed, ...facts }
    },

    chunks: async (path: string) => {
      const { chunks } = entryIn(await indexCache.current(), path)
      return { path, chunks: chunks.map((chunk) => shownChunk(path, chunk)) }
    },

    removeChunk: async (id: string): Promise<void> => {
      // An empty answer needs no turn.
      fileOfChunk(await indexCache.current(), id)
      await change(async (draft) => {
        const entry = fileOfChunk(draft.contents(), id)
        await draft.put(withoutChunk(entry, id))
      })
    },

    /** Rates a chunk until its text changes: once for a task, whose rating may change; without a task each call counts. */
    rateChunk: async (id: string, useful: boolean, taskId?: string): Promise<void> => {
      fileOfChunk(await indexCache.current(), id)
      await change(async (draft) => {
        const entry = fileOfChunk(draft.contents(), id)
        const before = taskId === undefined ? undefined : await verdicts.of(taskId, id)
        if (before === useful) return
        // The verdict is stored first: after a death in between it is uncounted rather than counted twice.
        if (taskId !== undefined) await store.commit(verdicts.write(taskId, id, useful, before))
        const rating = (entry.rated?.[id] ?? 0) + voice(useful) - voice(before)
        await draft.put({ ...entry, rated: { ...entry.rated, [id]: rating } })
      })
    },

    removeFile: async (path: string): Promise<void> => {
      entryIn(await indexCache.current(), path)
      await change((draft) => takeOut(draft, entryIn(draft.contents(), path)))
    },

    /** Removes everything; resolves to the number of files and chunks. */
    clear: (): Promise<{ files: number; chunks: number }> =>
      change(async (draft) => {
        const entries = filesIn(draft.contents())
        const chunks = chunkCount(draft.contents())
        await inBatches(entries, budget().isOver, (entry) => takeOut(draft, entry))
        return { files: entries.length, chunks }
      }),
  }
}

const voice = (useful: boolean | undefined): number => (useful === undefined ? 0 : useful ? 1 : -1)

/** A page of a list in memory, in the order of unique keys. Throws as `pageRange` does. */
const paged = <T>(all: readonly T[], keyOf: (item: T) => string, query: Query, scope: string) => {
  const range = pageRange(query, scope)
  const from = 'after' in range ? firstAfter(all, keyOf, range.after.key) : Math.min(range.offset, all.length)
  const rows = all.slice(from, from + range.limit)
  const last = rows.at(-1)
  const next: Place | undefined =
    last !== undefined && from + rows.length < all.length ? { by: null, key: keyOf(last) } : undefined
  return { rows, facts: pageFacts({ rows, next }, all.length, query, scope) }
}

const firstAfter = <T>(all: readonly T[], keyOf: (item: T) => string, key: string): number => {
  const at = all.findIndex((item) => keyOf(item) > key)
  return at < 0 ? all.length : at
}

const EXCLUDED_ID = 'excluded'
const MOST_EXCLUDED_BYTES = 200_000

export type Excluded = ReturnType<typeof createExcluded>

/** The files that are excluded from memory: those that the last sync skipped, and those that users removed. */
export const createExcluded = ({ store, indexCache }: Pick<Needs, 'store' | 'indexCache'>) => {
  const readSkipped = async (): Promise<readonly ExcludedFile[]> =>
    (await store.get(memoryState, EXCLUDED_ID))?.excluded ?? []

  return {
    /** Stores the files that a sync skipped, as many as fit the row. */
    note: async (files: readonly ExcludedFile[]): Promise<void> => {
      let left = MOST_EXCLUDED_BYTES
      const listed = files.filter(({ path }) => {
        left -= Buffer.byteLength(path) + 40
        return left >= 0
      })
      if (JSON.stringify(await readSkipped()) === JSON.stringify(listed)) return
      const row: MemoryStateRow = { id: EXCLUDED_ID, version: 1, excluded: listed }
      const { applied } = await store.commit<MemoryStateRow>({ insert: memoryState, row })
      if (!applied)
        await store.commit<MemoryStateRow>({
          update: memoryState,
          key: EXCLUDED_ID,
          set: { excluded: listed },
        })
    },

    list: async (query: Query) => {
      const [files, contents] = await Promise.all([readSkipped(), indexCache.current()])
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
