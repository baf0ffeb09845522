import { definedFields } from '../core/defined-fields.ts'
import type { MemoryFileRow, StoredChunk } from './rows.ts'
import type { MemoryChunk } from './schema.ts'

export type FileEntry = Omit<MemoryFileRow, 'shard'>
/** All files by their path, including those that users removed. */
export type Contents = ReadonlyMap<string, FileEntry>

/** By path, in code-unit order. */
export const toContents = (entries: readonly FileEntry[]): Contents =>
  new Map(
    [...entries].sort((a, b) => (a.path < b.path ? -1 : 1)).map((entry) => [entry.path, entry] as const),
  )

/** The files that users see. */
export const filesIn = (contents: Contents): FileEntry[] =>
  [...contents.values()].filter(({ removed }) => !removed)

export const chunkCount = (contents: Contents): number =>
  filesIn(contents).reduce((sum, { chunks }) => sum + chunks.length, 0)

export const shownChunk = (path: string, { id, heading, trail, ...place }: StoredChunk): MemoryChunk => ({
  id,
  path,
  ...place,
  ...definedFields({ heading, trail }),
})

/** The paths whose chunks differ. */
export const changedPaths = (before: Contents, after: Contents): string[] => {
  const paths = new Set([...before.keys(), ...after.keys()])
  return [...paths].filter((path) => before.get(path)?.revision !== after.get(path)?.revision)
}
