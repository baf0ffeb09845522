import { type Contents, type FileEntry, shownChunk } from './contents.ts'
import type { Hit, Searched } from './lexical.ts'
import type { StoredChunk } from './rows.ts'
import type { MemoryChunk } from './schema.ts'
import { nearness, vectorsOf } from './vectors.ts'

export type SearchIndex = Awaited<ReturnType<typeof createSearchIndex>>

const searched = (path: string, { id, heading = '', trail = [], text }: StoredChunk): Searched => ({
  id,
  title: heading,
  place: `${path} ${trail.join(' ')}`,
  text,
})

const chunksAt = (contents: Contents, path: string) => contents.get(path)?.chunks ?? []

/** Finds chunks of contents, and follows as those change. Its library is loaded at the first search. */
export const createSearchIndex = async (contents: Contents, model?: string) => {
  const { createLexical } = await import('./lexical.ts')
  const chunks = new Map<string, MemoryChunk>()
  const documents: Searched[] = []
  for (const [path] of contents)
    for (const chunk of chunksAt(contents, path)) {
      chunks.set(chunk.id, shownChunk(path, chunk))
      documents.push(searched(path, chunk))
    }
  const lexical = createLexical(documents)
  const vectors = new Map<string, Float32Array>()
  const learnVectors = (entry: FileEntry | undefined) => {
    const known = entry ? vectorsOf(entry, model) : []
    for (const [n, vector] of known.entries()) vectors.set(entry?.chunks[n]?.id ?? '', vector)
  }
  for (const entry of contents.values()) learnVectors(entry)

  return {
    lexical: (question: string, most: number, least?: number): Hit[] => lexical.search(question, most, least),
    hasVectors: (): boolean => vectors.size > 0,
    /** Whether there are vectors that one of this size can be held against. */
    hasVectorsOf: (size: number): boolean => {
      for (const { length } of vectors.values()) if (length === size) return true
      return false
    },
    /** The chunks whose vectors are nearest to one of length 1, of those that point the same way at all. */
    near: (vector: Float32Array, most: number): Hit[] =>
      [...vectors]
        .map(([id, each]) => ({ id, score: nearness(vector, each) }))
        .filter(({ score }) => score > 0)
        .sort((a, b) => b.score - a.score)
        .slice(0, most),
    chunk: (id: string): MemoryChunk | undefined => chunks.get(id),
    /** What was in a file is forgotten before what is in it now is learned: unchanged chunks keep their ids. */
    change: (paths: readonly string[], before: Contents, after: Contents): void => {
      for (const path of paths)
        for (const { id } of chunksAt(before, path)) {
          lexical.remove(id)
          chunks.delete(id)
          vectors.delete(id)
        }
      for (const path of paths) learnVectors(after.get(path))
      for (const path of paths)
        for (const chunk of chunksAt(after, path)) {
          lexical.add(searched(path, chunk))
          chunks.set(chunk.id, shownChunk(path, chunk))
        }
    },
  }
}
