import { setImmediate as turn } from 'node:timers/promises'
import { type Contents, type FileEntry, shownChunk } from './contents.ts'
import type { Hit, SavedLexical, Searched } from './lexical.ts'
import type { StoredChunk } from './rows.ts'
import type { MemoryChunk } from './schema.ts'
import { decodeVectors, nearness, vectorLength } from './vectors.ts'

export type SearchIndex = Awaited<ReturnType<typeof createSearchIndex>>

/** The documents that are indexed before other requests get a turn. */
const AT_ONCE = 100

const toDocument = (path: string, { id, heading = '', trail = [], text }: StoredChunk): Searched => ({
  id,
  title: heading,
  place: `${path} ${trail.join(' ')}`,
  text,
})

type Vector = { values: Int8Array; length: number }

/** The search index of contents, updated as they change. Chunks that a stored index has too are not indexed again. */
export const createSearchIndex = async (contents: Contents, model?: string, saved?: SavedLexical) => {
  const { createLexical } = await import('./lexical.ts')
  const chunks = new Map<string, MemoryChunk>()
  const vectors = new Map<string, Vector>()
  const ratings = new Map<string, number>()
  const lexical = createLexical([], saved)

  const learn = (entry: FileEntry): Searched[] => {
    const known = decodeVectors(entry, model)
    return entry.chunks.flatMap((chunk, n) => {
      chunks.set(chunk.id, shownChunk(entry.path, chunk))
      const rating = entry.rated?.[chunk.id]
      if (rating) ratings.set(chunk.id, rating)
      const values = known[n]
      if (values) vectors.set(chunk.id, { values, length: vectorLength(values) })
      return lexical.has(chunk.id) ? [] : [toDocument(entry.path, chunk)]
    })
  }

  const addDocuments = async (documents: readonly Searched[]) => {
    for (const [n, document] of documents.entries()) {
      lexical.add(document)
      if (n % AT_ONCE === AT_ONCE - 1) await turn()
    }
  }

  const fresh = [...contents.values()].flatMap(learn)
  for (const id of Object.values(saved?.index.documentIds ?? {})) if (!chunks.has(id)) lexical.remove(id)
  await addDocuments(fresh)

  return {
    lexical: (question: string, most: number, least?: number): Hit[] => lexical.search(question, most, least),
    hasVectors: (): boolean => vectors.size > 0,
    hasVectorsWithSize: (size: number): boolean => {
      for (const { values } of vectors.values()) if (values.length === size) return true
      return false
    },
    /** The chunks with the nearest vectors to a vector of length 1, of positive similarity only. */
    near: (vector: Float32Array, most: number): Hit[] =>
      [...vectors]
        .map(([id, { values, length }]) => ({ id, score: nearness(vector, values, length) }))
        .filter(({ score }) => score > 0)
        .sort((a, b) => b.score - a.score)
        .slice(0, most),
    chunk: (id: string): MemoryChunk | undefined => chunks.get(id),
    rating: (id: string): number => ratings.get(id) ?? 0,
    save: (): SavedLexical => lexical.save(),
    /** Removes the earlier chunks of files before it adds the present ones; unchanged chunks are not indexed again. */
    change: async (paths: readonly string[], before: Contents, after: Contents): Promise<void> => {
      const now = paths.flatMap((path) => after.get(path) ?? [])
      const stay = new Set(now.flatMap((entry) => entry.chunks.map(({ id }) => id)))
      for (const { id } of paths.flatMap((path) => before.get(path)?.chunks ?? [])) {
        vectors.delete(id)
        ratings.delete(id)
        if (stay.has(id)) continue
        chunks.delete(id)
        lexical.remove(id)
      }
      await addDocuments(now.flatMap(learn))
    },
  }
}
