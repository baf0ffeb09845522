import * as z from 'zod'
import type { MemoryFileRow, StoredChunk } from './rows.ts'
import type { MemoryChunk } from './schema.ts'

/** A file as it is kept in memory. */
export type FileEntry = Omit<MemoryFileRow, 'shard'>
/** All files by their path, those that were deleted by hand among them. */
export type Contents = ReadonlyMap<string, FileEntry>

const EntrySchema = z.object({ path: z.string(), revision: z.number(), chunks: z.array(z.looseObject({})) })
const CompiledSchema = z.object({ form: z.literal(1), files: z.array(z.looseObject(EntrySchema.shape)) })

/** All contents as one text, and back; undefined for a text of another form. */
export const compile = (contents: Contents): string =>
  JSON.stringify({ form: 1, files: [...contents.values()] })

export const decompile = (text: string): Contents | undefined => {
  const parsed = CompiledSchema.safeParse(JSON.parse(text))
  // Written by `compile` alone, under a name that nothing else writes.
  return parsed.success ? contentsOf(parsed.data.files as unknown as FileEntry[]) : undefined
}

/** By path, in code-unit order. */
export const contentsOf = (entries: readonly FileEntry[]): Contents =>
  new Map(
    [...entries].sort((a, b) => (a.path < b.path ? -1 : 1)).map((entry) => [entry.path, entry] as const),
  )

/** The files that there are for people. */
export const filesIn = (contents: Contents): FileEntry[] =>
  [...contents.values()].filter(({ removed }) => !removed)

export const chunkCount = (contents: Contents): number =>
  filesIn(contents).reduce((sum, { chunks }) => sum + chunks.length, 0)

export const shownChunk = (
  path: string,
  { id, startLine, endLine, heading, text }: StoredChunk,
): MemoryChunk => ({
  ...{ id, path, startLine, endLine, text },
  ...(heading === undefined ? {} : { heading }),
})

/** The paths whose chunks are not the same in both. */
export const changedPaths = (before: Contents, after: Contents): string[] => {
  const paths = new Set([...before.keys(), ...after.keys()])
  return [...paths].filter((path) => before.get(path)?.revision !== after.get(path)?.revision)
}
