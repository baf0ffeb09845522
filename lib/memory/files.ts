import type * as z from 'zod'
import { missing } from '../core/errors.ts'
import type { pageQuery } from '../core/page.ts'
import { inBatches } from './batches.ts'
import type { Budget } from './budget.ts'
import type { Change, Draft } from './change.ts'
import { type Contents, chunkCount, type FileEntry, filesIn, shownChunk } from './contents.ts'
import type { IndexCache } from './index-cache.ts'
import { paged } from './paged.ts'
import { withoutChunk } from './vectors.ts'

const SCOPE = 'memory-files'

type Needs = { indexCache: IndexCache; change: Change; budget: Budget }
type Query = { limit: number } & Partial<z.output<z.ZodObject<Pick<typeof pageQuery, 'offset' | 'cursor'>>>>

/** The files and chunks that memory has, and what is taken out of it by hand: that stays out until its file changes. */
export const createFiles = ({ indexCache, change, budget }: Needs) => {
  const entryIn = (contents: Contents, path: string): FileEntry => {
    const entry = contents.get(path)
    if (entry === undefined || entry.removed) throw missing('Memory file')
    return entry
  }

  const holderOf = (contents: Contents, id: string): FileEntry => {
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
      const shown = rows.map(({ path, hash, size, chunks, updatedAt }) => ({
        ...{ path, hash, size, updatedAt },
        chunks: chunks.length,
      }))
      return { files: shown, ...facts }
    },

    chunks: async (path: string) => {
      const { chunks } = entryIn(await indexCache.current(), path)
      return { path, chunks: chunks.map((chunk) => shownChunk(path, chunk)) }
    },

    removeChunk: async (id: string): Promise<void> => {
      // An empty answer needs no turn.
      holderOf(await indexCache.current(), id)
      await change(async (draft) => {
        const entry = holderOf(draft.contents(), id)
        await draft.put(withoutChunk(entry, id))
      })
    },

    removeFile: async (path: string): Promise<void> => {
      entryIn(await indexCache.current(), path)
      await change((draft) => takeOut(draft, entryIn(draft.contents(), path)))
    },

    /** Takes everything out; resolves to how much that was. */
    clear: (): Promise<{ files: number; chunks: number }> =>
      change(async (draft) => {
        const entries = filesIn(draft.contents())
        const chunks = chunkCount(draft.contents())
        await inBatches(entries, budget(), (entry) => takeOut(draft, entry))
        return { files: entries.length, chunks }
      }),
  }
}
